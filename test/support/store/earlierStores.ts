// The stores of earlier versions in test/fixtures/stores, and what the server that made each of them said of it.
import { copyFileSync, chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { StoreLocation } from '../../../src/store/store.ts';
import { PROJECT } from '../run/project.ts';
import { queryPostgres } from './postgres.ts';
import { changeRows } from './stores.ts';

const FOLDER = join(PROJECT, 'test/fixtures/stores');
/** Where receivers are that refused. */
export const REFUSED = 'http://127.0.0.1:1/';

export interface Ledger {
  readonly accepted: number;
  readonly delivered: number;
  readonly pending: number;
  readonly held: number;
  readonly failed: number;
  readonly discarded: number;
}

export interface WebhookFacts {
  readonly id: string;
  readonly service: string;
  readonly name: string;
  readonly url: string;
  readonly active: boolean;
  readonly contentType: string;
  readonly signatureHeader: string;
  readonly signatureKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ledger: Ledger;
  readonly deliveries: readonly {
    readonly id: string;
    readonly messageId: string;
    readonly state: string;
    readonly attempts: number;
  }[];
}

export interface StoreFacts {
  readonly users: readonly { readonly username: string; readonly fullName: string; readonly role: string }[];
  readonly passwords: Readonly<Record<string, string>>;
  readonly tokens: readonly { readonly name: string; readonly text: string }[];
  readonly events: readonly {
    readonly service: string;
    readonly event: string;
    readonly payload: string;
    readonly eventId: string;
    readonly answer: object;
  }[];
  readonly refused: readonly string[];
  readonly deleted?: string;
  readonly restorePoint?: object;
  readonly folders: readonly string[];
  readonly services: readonly string[];
  readonly webhooks: readonly WebhookFacts[];
  readonly policy: object;
  readonly jobs: readonly {
    readonly id: string;
    readonly kind: string;
    readonly state: string;
    readonly messages: number;
    readonly lastCode: number | null;
  }[];
  readonly current: string;
  readonly available: readonly string[];
  readonly installed: readonly string[];
  readonly history: readonly object[];
  readonly uploads: number;
  readonly audit: { readonly entries: number; readonly newest: readonly string[] };
}

type Which = 'full' | 'unfinished';

export interface EarlierStore {
  readonly name: string;
  readonly madeAt: number;
  readonly facts: Readonly<Record<Which, Readonly<Record<StoreLocation['kind'], StoreFacts>>>>;
  /** Puts a store of this version into an empty place, and its key into a data folder. Receivers that refused are at `receiver` now. */
  load(
    which: Which,
    place: StoreLocation,
    options: { readonly data: string; readonly receiver: string },
  ): Promise<void>;
}

function readStore(name: string): EarlierStore {
  const folder = join(FOLDER, name);
  const { madeAt, ...facts } = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8'));
  const unpacked = (file: string): Buffer => brotliDecompressSync(readFileSync(join(folder, file)));
  return {
    name,
    madeAt,
    facts,
    async load(which, place, { data, receiver }) {
      if (place.kind === 'sqlite') writeFileSync(place.at, unpacked(`${which}.sqlite.br`), { mode: 0o600 });
      else await queryPostgres(place.at, unpacked(`${which}.postgres.sql.br`).toString());
      const [key, target] = [join(folder, 'master.key'), join(data, 'master.key')];
      if (existsSync(key)) copyFileSync(key, target);
      chmodSync(target, 0o600);
      await changeRows(place, `update webhook set url = replace(url, '${REFUSED}', '${receiver}/')`);
    },
  };
}

export const EARLIER_STORES: readonly EarlierStore[] = readdirSync(FOLDER)
  .filter((name) => /^\d\d-/.test(name))
  .toSorted()
  .map(readStore);
