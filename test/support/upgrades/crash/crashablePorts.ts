import type { Clock } from '../../../../src/foundation/clock.ts';
import type { Store } from '../../../../src/store/store.ts';
import { intercept } from '../../clock/intercept.ts';

/**
 * What happens to a process at one of its writes to the journal. `killed`: it never goes on. `frozen`: it stops until it is
 * thawed and then goes on. `failing`: the store answers once with an error.
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
  /** Resolves when the process is interrupted. */
  readonly interrupted: Promise<void>;
  /** The number of writes to the journal that it has begun. */
  writes(): number;
  thaw(): void;
}

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

function nothing(): void {
  // Replaced at once, when the promise is made.
}

function gate(): Gate {
  let open = nothing;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

const WRITES: ReadonlySet<string> = new Set(['append', 'conclude']);
const NEVER = new Promise<never>(() => undefined);

/** The ports of one process that is interrupted at one of its writes. */
export function createCrashablePorts(
  shared: Ports & { readonly clock: Clock },
  interruption: Interruption | undefined,
): CrashableProcess {
  let writes = 0;
  let isDead = false;
  let ice: Gate | undefined;
  const interrupted = gate();

  /** Holds every call and every answer of a process that is dead or frozen. */
  async function pass(): Promise<void> {
    if (isDead) await NEVER;
    await ice?.opened;
  }

  async function interrupt({ kind }: Interruption): Promise<void> {
    interrupted.open();
    if (kind === 'failing') throw new Error('the store did not answer');
    if (kind === 'killed') isDead = true;
    else ice = gate();
    await pass();
  }

  async function call(name: string, ask: () => unknown): Promise<unknown> {
    await pass();
    const isInterrupted = WRITES.has(name) && ++writes === interruption?.at;
    if (isInterrupted && interruption.side === 'before') await interrupt(interruption);
    const answer = await ask();
    if (isInterrupted && interruption.side === 'after') await interrupt(interruption);
    await pass();
    return answer;
  }

  const ours = <T extends object>(port: T): T => intercept(port, (name, ask) => call(name, ask));
  const { jobs, upgrades, uploads, documents, clock } = shared;
  return {
    ports: { jobs: ours(jobs), upgrades: ours(upgrades), uploads: ours(uploads), documents: ours(documents) },
    clock: {
      now: clock.now,
      async sleep(ms, signal) {
        await clock.sleep(ms, signal);
        await pass();
      },
    },
    interrupted: interrupted.opened,
    writes: () => writes,
    thaw: () => ice?.open(),
  };
}
