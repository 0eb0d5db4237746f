import { createCommand } from '../../drivers/database/command.ts';
import { factsOf } from '../../drivers/database/instance.ts';
import type { PostgresPairOptions } from '../../drivers/database/postgresPair.ts';
import { createPostgresPair, holdsStore } from '../../drivers/database/postgresPair.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Database } from '../../upgrades/ports/database.ts';
import type { Settings } from '../settings/settings.ts';

const DEFAULT_PORT = '5432';

function placeOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || DEFAULT_PORT}`;
}

/** The identifier that the server at an address shares with its standbys only; undefined if it does not answer. */
async function systemIdAt(url: string): Promise<string | undefined> {
  const facts = await factsOf({ name: 'store', url });
  return facts.kind === 'up' ? facts.systemId : undefined;
}

/**
 * Opens the database that releases upgrade, if the settings name one. Refuses the server of Steward's own store. A server that does
 * not answer now is compared with it in each plan.
 */
export async function openDatabase(
  { database: instances, databaseCommand, store }: Pick<Settings, 'database' | 'databaseCommand' | 'store'>,
  dependencies: Pick<PostgresPairOptions, 'documents' | 'clock'>,
): Promise<Database | undefined> {
  if (instances === undefined) return undefined;
  if (databaseCommand === undefined)
    throw new StewardError(
      'invalid',
      'STEWARD_DATABASE needs STEWARD_DATABASE_COMMAND, the program that stops and starts these servers (docs/database.md).',
    );
  const own = store === 'sqlite' ? undefined : placeOf(store);
  const storeSystemId = own === undefined ? undefined : await systemIdAt(store);
  for (const { name, url } of instances) {
    const isSame = placeOf(url) === own || (storeSystemId !== undefined && (await systemIdAt(url)) === storeSystemId);
    if (isSame) throw new StewardError('invalid', holdsStore(name));
  }
  return createPostgresPair({ ...dependencies, instances, runCommand: createCommand(databaseCommand), storeSystemId });
}
