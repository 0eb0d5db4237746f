import { newId } from '../../foundation/ids.ts';
import { integer, text } from '../engine/codec.ts';
import { rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';

/** A table with at most one row. */
const installations = table('installation', {
  id: text('installation_id'),
  created: integer('created_at'),
  version: text('version'),
});
const INSTALLATION = `${installations.select} where id = 1`;

export interface Installation {
  /** Stays the same in backups, and when the store is moved. */
  readonly id: string;
  readonly created: number;
  /** The version of Steward that started last on this store. */
  readonly version: string;
}

export function createInstallationStore(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  return {
    /** Records that this version starts on the store. Gives a new store its id. */
    async record(version: string): Promise<Installation> {
      const found = await engine.read(installations.first(INSTALLATION));
      if (found?.version === version) return found;
      return transaction(dependencies, { closedWhen: 'never' }, function* () {
        yield* rows(
          `insert into installation (id, installation_id, created_at, version) values (1, $1, $2, $3)
           on conflict (id) do update set version = excluded.version`,
          newId(),
          clock.now(),
          version,
        );
        return yield* installations.only(INSTALLATION);
      });
    },
  };
}
