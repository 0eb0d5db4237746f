// Tells the trouble of a name from that of the name servers of this machine, which no receiver can be charged for.
import { SECOND } from '../../../foundation/clock.ts';
import type { NameServers } from './nameServers.ts';

export const NO_NAME_SERVER = 'STEWARD_NO_NAME_SERVER';
/** A verdict is used again for this time: a thousand names that fail together ask once. */
const FRESH_MS = SECOND;

const TEMPORARY: ReadonlySet<unknown> = new Set(['EAI_AGAIN', 'EAI_FAIL']);

/** Whether a look-up failed without an answer about its name. */
export function isTemporary(error: unknown): boolean {
  return error instanceof Error && 'code' in error && TEMPORARY.has(error.code);
}

/** Without name servers to ask, they are taken to work. */
export function watchNameServers(nameServers: NameServers | undefined) {
  let lastFound: string | undefined;
  let asking: { readonly at: number; readonly verdict: Promise<boolean> } | undefined;
  let areKnownToWork = nameServers === undefined;

  /** Some name servers know only the names of their own network. Then one that was found before tells whether they work. */
  async function ask({ answer, resolve }: NameServers, name: string): Promise<boolean> {
    const other = lastFound === undefined || lastFound === name ? undefined : resolve(lastFound);
    const answers = await Promise.all([
      answer(),
      other?.then(
        () => true,
        () => false,
      ),
    ]);
    areKnownToWork = answers.includes(true);
    return !areKnownToWork;
  }

  return {
    /** A look-up of this name has succeeded. */
    found(name: string): void {
      lastFound = name;
    },
    /** Asks whether they fail for names other than this one. */
    async look(name: string): Promise<boolean> {
      if (nameServers === undefined) return false;
      if (asking === undefined || performance.now() - asking.at > FRESH_MS)
        asking = { at: performance.now(), verdict: ask(nameServers, name) };
      return asking.verdict;
    },
    areKnownToWork: () => areKnownToWork,
    error: (cause: unknown): Error =>
      Object.assign(new Error('the name servers of this machine answer for no name', { cause }), {
        code: NO_NAME_SERVER,
      }),
  };
}
