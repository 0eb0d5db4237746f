// The store as the processes of a crash run share it. The watcher sees every write, also one whose process dies before it gets the
// answer.
import type { Progress } from '../../../../src/jobs/jobStore.ts';
import type { Store } from '../../../../src/store/store.ts';
import type { ManualClock } from '../../clock/manualClock.ts';

export interface Watcher {
  onSaid(codes: readonly number[]): Promise<void>;
  onDone(done: number): void;
  onEnd(): void;
  onClaim(): void;
}

export const NO_WATCHER: Watcher = {
  onSaid: async () => undefined,
  onDone: () => undefined,
  onEnd: () => undefined,
  onClaim: () => undefined,
};

export interface WatchedStore {
  readonly ports: Pick<Store, 'jobs' | 'upgrades' | 'uploads' | 'documents'> & { readonly clock: ManualClock };
  watch(watcher: Watcher): void;
}

export function watchStore(store: Store, clock: ManualClock): WatchedStore {
  let watcher = NO_WATCHER;

  async function noted(progress: Progress | undefined): Promise<void> {
    if (progress === undefined) return;
    if (progress.done !== undefined) watcher.onDone(progress.done);
    await watcher.onSaid((progress.messages ?? []).map(({ code }) => code ?? 0));
    if (progress.state !== undefined && progress.state !== 'undoing' && progress.state !== 'paused') watcher.onEnd();
  }

  const counted = clock.tracked(store.jobs);
  const jobs: Store['jobs'] = {
    ...counted,
    async append(lease, decide) {
      let progress: Progress | undefined;
      const appended = await counted.append(lease, (at) => (progress = decide(at)));
      if (appended === 'written') await noted(progress);
      return appended;
    },
    async claimJob(...claim) {
      const claimed = await counted.claimJob(...claim);
      if (claimed !== undefined) watcher.onClaim();
      return claimed;
    },
  };
  const upgradeStore: Store['upgrades'] = {
    ...clock.tracked(store.upgrades),
    async conclude(lease, by, decide) {
      let progress: Progress | undefined;
      const appended = await clock.tracked(store.upgrades).conclude(lease, by, (seen, at) => {
        const decision = decide(seen, at);
        ({ progress } = decision.change);
        return decision;
      });
      if (appended === 'written') await noted(progress);
      return appended;
    },
  };
  const ports: WatchedStore['ports'] = {
    jobs,
    upgrades: upgradeStore,
    uploads: clock.tracked(store.uploads),
    documents: clock.tracked(store.documents),
    clock,
  };

  return {
    ports,
    watch(next) {
      watcher = next;
    },
  };
}
