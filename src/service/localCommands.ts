import { newPassword } from '../access/secret.ts';
import { localActor } from '../model/actor.ts';
import { systemClock } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import { silentLog } from '../foundation/log.ts';
import type { BackupContent } from '../store/engine/sqlite/backup.ts';
import { openStore } from '../store/store.ts';
import { existsSync } from 'node:fs';
import { createAccessArea } from './start/areas.ts';
import { username, valid } from '../wire/operations/fields.ts';
import type { Configuration } from './settings/configuration.ts';
import { FIRST_ADMINISTRATOR } from './start/firstAdministrator.ts';
import { masterKeyFile } from './files/masterKey.ts';
import { dataFolder, storeLocation } from './files/storeLocation.ts';

const usernameReader = username(['create']);

type Print = (text: string) => void;

function embeddedStore({ settings }: Configuration, verb: string, other: string): string {
  const place = storeLocation(settings);
  if (place.kind === 'sqlite') return place.at;
  throw new StewardError('invalid', `steward ${verb} is for the embedded store. With PostgreSQL use ${other}.`);
}

function contentInWords({ services, users, auditEntries }: BackupContent): string {
  return `${services} services, ${users} users, ${auditEntries} audit entries`;
}

export async function backup(configuration: Configuration, file: string, print: Print): Promise<void> {
  const { backupSqlite } = await import('../store/engine/sqlite/backup.ts');
  const content = backupSqlite(embeddedStore(configuration, 'backup', 'pg_dump'), file);
  const { settings } = configuration;
  print(`Wrote ${file} and checked it: ${contentInWords(content)}.\n`);
  print(
    `The master key is not in it. Keep a copy of ${masterKeyFile(dataFolder(settings), settings.masterKeyFile)} elsewhere.\n`,
  );
}

export async function restore(configuration: Configuration, file: string, print: Print): Promise<void> {
  const { restoreSqlite } = await import('../store/engine/sqlite/backup.ts');
  const store = embeddedStore(configuration, 'restore', 'pg_restore');
  const { content, kept } = restoreSqlite(file, store, systemClock.now());
  print(`Restored ${file}: ${contentInWords(content)}.\n`);
  if (kept !== undefined) print(`What was there before is kept as ${kept}.\n`);
  print('Passwords and tokens are those of the backup. The master key was not in it and is unchanged.\n');
}

/** Works on the store itself: the embedded one must not be in use, PostgreSQL may be. */
export async function resetAdmin(
  configuration: Configuration,
  wanted: string | undefined,
  print: Print,
): Promise<void> {
  const { settings } = configuration;
  const name = wanted === undefined ? valid(FIRST_ADMINISTRATOR) : usernameReader.read(wanted);
  if (name.kind === 'invalid') throw new StewardError('invalid', `--username ${name.problem}.`);
  const place = storeLocation(settings);
  if (place.kind === 'sqlite' && !existsSync(place.at))
    throw new StewardError('notFound', `There is no store at ${place.at}. Name its data folder with --data.`);
  const store = await openStore(place, { clock: systemClock, log: silentLog });
  try {
    const access = createAccessArea(store, settings, systemClock);
    const password = newPassword();
    const account = await access.accounts.reset(name.value, localActor('reset-admin'), password);
    print(
      `${account.username} is an administrator again, with the password\n\n  ${password}\n\nSessions of this user have ended. Change the password after you have signed in.\n`,
    );
  } finally {
    await store.close();
  }
}
