import type { Clock } from '../../../src/foundation/clock.ts';
import type { Store } from '../../../src/store/store.ts';
import { intercept } from '../clock/intercept.ts';

/**
 * What becomes of a process at one of its writes to the journal. `killed`: nothing of it goes on. `frozen`: it stands still
 * until it is thawed, and goes on as if nothing had been. `failing`: the store answers with an error, once.
 */
export interface Interruption {
  readonly kind: 'killed' | 'frozen' | 'failing';
  /** The number of the write, from 1 on. */
  readonly at: number;
  readonly side: 'before' | 'after';
}

type Ports = Pick<Store, 'jobs' | 'upgrades' | 'uploads' | 'documents'>;

export interface CrashableProcess {
  readonly ports: Ports;
  readonly clock: Clock;
  /** Resolves when the blow has fallen. */
  readonly interrupted: Promise<void>;
  /** How many writes to the journal it has begun. */
  writes(): number;
  thaw(): void;
}

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

function nothing(): void {
  // Until the promise is made, which is at once.
}

function gate(): Gate {
  let open = nothing;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

const WRITES: ReadonlySet<string> = new Set(['append', 'conclude']);
const NEVER = new Promise<never>(() => undefined);

/** The ports of one process, which may be struck down. */
export function createCrashablePorts(
  world: Ports & { readonly clock: Clock },
  blow: Interruption | undefined,
): CrashableProcess {
  let writes = 0;
  let isDead = false;
  let ice: Gate | undefined;
  const struck = gate();

  /** Nothing that is asked by a process which stands still, or answered to it, gets through. */
  async function pass(): Promise<void> {
    if (isDead) await NEVER;
    await ice?.opened;
  }

  async function strike({ kind }: Interruption): Promise<void> {
    struck.open();
    if (kind === 'failing') throw new Error('the store did not answer');
    if (kind === 'killed') isDead = true;
    else ice = gate();
    await pass();
  }

  async function call(name: string, ask: () => unknown): Promise<unknown> {
    await pass();
    const isBlow = WRITES.has(name) && ++writes === blow?.at;
    if (isBlow && blow.side === 'before') await strike(blow);
    const answer = await ask();
    if (isBlow && blow.side === 'after') await strike(blow);
    await pass();
    return answer;
  }

  const ours = <T extends object>(port: T): T => intercept(port, (name, ask) => call(name, ask));
  const { jobs, upgrades, uploads, documents, clock } = world;
  return {
    ports: { jobs: ours(jobs), upgrades: ours(upgrades), uploads: ours(uploads), documents: ours(documents) },
    clock: {
      now: clock.now,
      async sleep(ms, signal) {
        await clock.sleep(ms, signal);
        await pass();
      },
    },
    interrupted: struck.opened,
    writes: () => writes,
    thaw: () => ice?.open(),
  };
}
