// Whether Steward answers, for the whole console. Any request may find that it does not. Probes then decide: they ask again and again
// until Steward answers, and everything on the page is read again at that moment.

/** Why Steward cannot be used now. */
export type Outage =
  | { readonly kind: 'offline' }
  | { readonly kind: 'noAnswer' }
  /** A proxy answers with this status instead of Steward. */
  | { readonly kind: 'proxy'; readonly status: number }
  /** Steward itself answers that it cannot serve requests now. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** With the time of a probe and of the reads that follow, a page is true again within two seconds. */
const PROBE_AFTER_MS = [300, 600, 1000, 1300] as const;
const LAST_WAIT_MS = 1300;

export interface Connection {
  /** The present outage; undefined while Steward answers. */
  outage(): Outage | undefined;
  /** A request was not answered by Steward, so probes begin. */
  doubt(): void;
  /** Calls back when an outage begins, changes or ends. Returns the function that stops it. */
  subscribe(listener: () => void): () => void;
}

function isSame(one: Outage | undefined, other: Outage): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Watches the connection with `probe`, which asks Steward once and answers why it cannot be used. */
export function createConnection(probe: () => Promise<Outage | undefined>): Connection {
  const listeners = new Set<() => void>();
  let outage: Outage | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What a probe finds out after a later one was answered is outdated. */
  let round = 0;

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function settle(): void {
    clearTimeout(timer);
    timer = undefined;
    round += 1;
    if (outage === undefined) return;
    outage = undefined;
    tell();
  }

  async function look(): Promise<void> {
    const own = round;
    const found = await probe();
    if (own !== round) return;
    if (found === undefined) return settle();
    if (isSame(outage, found)) return;
    outage = found;
    tell();
  }

  /** Does not wait for the probe before: on a connection that has died, it may hang for long. */
  function ask(count: number): void {
    void look();
    timer = setTimeout(() => ask(count + 1), PROBE_AFTER_MS[count] ?? LAST_WAIT_MS);
  }

  return {
    outage: () => outage,
    doubt() {
      if (timer === undefined) ask(0);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
