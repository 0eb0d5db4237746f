import { createCommand } from '../../drivers/database/command.ts';
import type { PostgresPairOptions } from '../../drivers/database/postgresPair.ts';
import { createPostgresPair, holdsStore } from '../../drivers/database/postgresPair.ts';
import { sqlServers } from '../../drivers/database/servers.ts';
import { StewardError } from '../../foundation/errors.ts';
import { parsePostgresAddress } from '../../store/postgresAddress.ts';
import type { Database } from '../../upgrades/ports/database.ts';
import type { Settings } from '../settings/settings.ts';

const DEFAULT_PORT = 5432;

type DatabaseSettings = Pick<Settings, 'database' | 'databaseCommand'>;

/** The servers of an address. A socket has no host. */
function placesOf(address: string): readonly string[] {
  const parsed = parsePostgresAddress(address);
  const servers = typeof parsed === 'string' ? [] : parsed.servers;
  return servers.flatMap(({ host, port = DEFAULT_PORT }) => (host === undefined ? [] : [`${host}:${port}`]));
}

/** Refuses settings that are wrong whatever the servers answer, such as the server of Steward's own store. */
export function checkDatabase({
  database: instances,
  databaseCommand,
  store,
}: DatabaseSettings & Pick<Settings, 'store'>): void {
  if (instances === undefined) return;
  if (databaseCommand === undefined)
    throw new StewardError(
      'invalid',
      'STEWARD_DATABASE needs STEWARD_DATABASE_COMMAND, the program that stops and starts these servers (docs/database.md).',
    );
  const own = new Set(store === 'sqlite' ? [] : placesOf(store));
  const shared = instances.find(({ url }) => placesOf(url).some((place) => own.has(place)));
  if (shared !== undefined) throw new StewardError('invalid', holdsStore(shared.name));
}

/**
 * Opens the database that releases upgrade, if the settings name one. Refuses the server of Steward's own store under another
 * address. A server that does not answer now is compared with it in each plan.
 */
export async function openDatabase(
  { database: instances, databaseCommand }: DatabaseSettings,
  dependencies: Pick<PostgresPairOptions, 'documents' | 'clock' | 'storeSystemId'>,
): Promise<Database | undefined> {
  if (instances === undefined || databaseCommand === undefined) return undefined;
  const { storeSystemId } = dependencies;
  for (const instance of storeSystemId === undefined ? [] : instances) {
    const facts = await sqlServers.facts(instance);
    if (facts.kind === 'up' && facts.systemId === storeSystemId)
      throw new StewardError('invalid', holdsStore(instance.name));
  }
  return createPostgresPair({ ...dependencies, instances, runCommand: createCommand(databaseCommand) });
}
