import { systemClock } from '../../../src/foundation/clock.ts';
import { silentLog } from '../../../src/foundation/log.ts';
import { migrations } from '../../../src/store/engine/migrations.ts';
import { openStore } from '../../../src/store/store.ts';
import { databaseUrl, queryPostgres } from './postgres.ts';

/** A database with the tables of this version and no rows. A copy takes a third of the time of a migration. */
export const POSTGRES_TEMPLATE = 'steward_template';

/** Creates the database that the databases of tests are copied from. Nothing may be connected to it afterwards. */
export async function createPostgresTemplate(serverUrl: string): Promise<void> {
  await queryPostgres(serverUrl, `create database ${POSTGRES_TEMPLATE}`);
  const at = databaseUrl(serverUrl, POSTGRES_TEMPLATE);
  // A copy of the list, so that the schema is not compared: a test does that, and writes `schema.ts` with -u.
  const options = { clock: systemClock, log: silentLog, migrations: [...migrations] };
  const store = await openStore({ kind: 'postgres', at, connections: 1 }, options);
  await store.close();
}
