import type { DatabaseProxy } from './databaseProxy.ts';
import { startDatabaseProxy } from './databaseProxy.ts';

export interface LossyProxy extends DatabaseProxy {
  /** The number of lost answers. */
  readonly lost: () => number;
  /** Sets the share of answers to commits that are lost from now on, each with its connection. */
  lose(share: number): void;
}

const COMMIT = Buffer.from('commit\0');

/** Starts a proxy for PostgreSQL that passes commits on but loses some of their answers. */
export async function startLossyProxy(databaseUrl: string): Promise<LossyProxy> {
  let [share, lost] = [0, 0];
  const proxy = await startDatabaseProxy(
    databaseUrl,
    (sent) => (sent.includes(COMMIT) && Math.random() < share ? 'cutAnswer' : 'pass'),
    () => (lost += 1),
  );
  return {
    ...proxy,
    lost: () => lost,
    lose: (part) => {
      share = part;
    },
  };
}
