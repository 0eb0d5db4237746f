// A client that writes all the time, and finds the server that takes its writes by itself.
import { Client } from 'pg';
import { randomPause } from '../run/until.ts';
import type { PostgresPair } from './pair.ts';

/** A write that a server has confirmed. */
export interface Acknowledged {
  readonly n: number;
  readonly server: string;
  readonly at: number;
}

const CONNECT_TIMEOUT_MS = 1000;
const PAUSE_MS = 4;

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  await client.connect();
  // As a client does that must not be kept from writing by a default.
  await client.query('SET default_transaction_read_only = off');
  return client;
}

export function startWriter(pair: PostgresPair) {
  const acknowledged: Acknowledged[] = [];
  const stopped = new AbortController();
  let n = 0;

  /** Writes to one server until it refuses. */
  async function writeTo(name: string): Promise<void> {
    const client = await connect(pair.clientUrl(name));
    try {
      while (!stopped.signal.aborted) {
        n += 1;
        await client.query('INSERT INTO writes VALUES ($1)', [n]);
        acknowledged.push({ n, server: name, at: Date.now() });
        await randomPause(PAUSE_MS);
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  const done = (async () => {
    while (!stopped.signal.aborted)
      for (const { name } of pair.instances) {
        await writeTo(name).catch(() => undefined);
        await randomPause(PAUSE_MS);
      }
  })();

  return {
    acknowledged,
    async stop(): Promise<readonly Acknowledged[]> {
      stopped.abort();
      await done;
      return acknowledged;
    },
  };
}
