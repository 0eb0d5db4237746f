import { existsSync } from 'node:fs';
import { newPassword } from '../access/secret.ts';
import { systemClock } from '../foundation/clock.ts';
import { counted } from '../foundation/text/counted.ts';
import { StewardError } from '../foundation/errors.ts';
import { silentLog } from '../foundation/log.ts';
import { localActor } from '../model/actor.ts';
import type { BackupContent } from '../store/backup/backup.ts';
import type { BegunEpoch } from '../store/backup/beginEpoch.ts';
import type { Review, Store, StoreLocation } from '../store/store.ts';
import { openStore } from '../store/store.ts';
import { username, valid } from '../wire/fields/fields.ts';
import { masterKeyFile } from './files/masterKey.ts';
import { dataFolder, describeLocation, storeLocation } from './files/storeLocation.ts';
import type { Configuration } from './settings/configuration.ts';
import { createAccessArea } from './start/areas.ts';
import { FIRST_ADMINISTRATOR } from './start/firstAdministrator.ts';

const usernameReader = username(['create']);

type Print = (text: string) => void;

/** Returns the file of the embedded store, and names the tool to use instead if the store is PostgreSQL. */
function embeddedStore({ settings }: Configuration, command: string, tool: string): string {
  const { kind, at } = storeLocation(settings);
  if (kind === 'sqlite') return at;
  throw new StewardError('invalid', `steward ${command} is for the embedded store. With PostgreSQL use ${tool}.`);
}

function describeContent({ version, services, users, auditEntries }: BackupContent): string {
  const counts = [
    counted(services, 'service'),
    counted(users, 'user'),
    counted(auditEntries, 'audit entry', 'audit entries'),
  ];
  return `${version === undefined ? '' : `a store of Steward ${version} with `}${counts.join(', ')}`;
}

/** A backup of such a store is worth having, but it must not push good ones out. */
function warningOf({ differences }: BackupContent): string {
  return differences.length === 0
    ? ''
    : `Warning: its schema is not the one that its migrations make, so that Steward does not start on it. It ${differences.join('; ')}. Keep earlier backups.\n`;
}

/** Opens a store for a command. An embedded store must not be in use. */
async function openExisting(location: StoreLocation): Promise<Store> {
  const lack =
    location.kind === 'sqlite'
      ? `No store exists at ${location.at}. Set the data folder with --data.`
      : `${describeLocation(location)} has no store of Steward. Nothing was changed. Check STEWARD_STORE.`;
  const review: Review = {
    questions: { documents: [], services: [] },
    check(found) {
      if (found === undefined) throw new StewardError('notFound', lack);
    },
  };
  return openStore(location, { clock: systemClock, log: silentLog, leavesOneFile: true, review });
}

/** Writes a checked copy of the embedded store, which may be in use. */
export async function backup(configuration: Configuration, file: string, print: Print): Promise<void> {
  const { backupSqlite } = await import('../store/backup/backup.ts');
  const content = backupSqlite(embeddedStore(configuration, 'backup', 'pg_dump'), file);
  const { settings } = configuration;
  print(`Wrote ${file} and checked it: ${describeContent(content)}.\n${warningOf(content)}`);
  print(
    `The master key is not in it. Keep a copy of ${masterKeyFile(dataFolder(settings), settings.masterKeyFile)} elsewhere.\n`,
  );
}

export interface RestoreOptions {
  /** Whether webhooks are deactivated, so that nothing is sent. */
  readonly hold?: boolean;
}

/** Says what a start on the restored store sends. */
function describeEpoch({ pending, held, resendJobs }: BegunEpoch, { hold = false }: RestoreOptions): string {
  const sequences = 'The sequence numbers of events continue above all that receivers have seen.\n';
  const deliveries = counted(pending, 'pending delivery', 'pending deliveries');
  const jobs = counted(resendJobs, 'job that sends deliveries again', 'jobs that send deliveries again');
  if (hold)
    return `${sequences}Deactivated: ${counted(held, 'webhook')}. Held: ${deliveries}. Cancelled: ${jobs}. Activate a webhook to send what it holds, or to discard it with --pending discard.\n`;
  if (pending === 0 && resendJobs === 0) return `${sequences}Nothing was pending in the backup.\n`;
  return `${sequences}The backup has ${deliveries} and ${jobs}. The next start sends all of it, also what was sent since, with the same webhook-id. To decide later, repeat the command with --hold before the start.\n`;
}

/** Replaces the embedded store by a backup, and keeps the former store beside it. */
export async function restore(
  configuration: Configuration,
  file: string,
  options: RestoreOptions,
  print: Print,
): Promise<void> {
  const { restoreSqlite } = await import('../store/backup/backup.ts');
  const store = embeddedStore(configuration, 'restore', 'pg_restore, and then `steward after-restore`');
  const now = systemClock.now();
  const { content, kept, epoch } = restoreSqlite(file, store, { now, holds: options.hold ?? false });
  print(`Restored ${file}: ${describeContent(content)}.\n${warningOf(content)}${describeEpoch(epoch, options)}`);
  if (kept !== undefined) print(`The previous store is kept as ${kept}.\n`);
  const { settings } = configuration;
  const key = masterKeyFile(dataFolder(settings), settings.masterKeyFile);
  const aboutKey = existsSync(key)
    ? `and ${key} is unchanged. It must be the key of the restored store.`
    : `and there is no ${key}. Put the key of the restored store there before you start Steward: its webhooks need it.`;
  print(`Passwords and tokens are those of the backup. The master key is not part of a backup, ${aboutKey}\n`);
}

/** Does what `restore` does besides copying, for a store that other tools have restored. */
export async function afterRestore({ settings }: Configuration, options: RestoreOptions, print: Print): Promise<void> {
  const store = await openExisting(storeLocation(settings));
  try {
    print(describeEpoch(await store.beginEpoch({ holds: options.hold ?? false }), options));
  } finally {
    await store.close();
  }
}

export interface ResetOptions {
  readonly username?: string;
  readonly keepTokens?: boolean;
}

/** Gives an administrator a new password, directly in the store. An embedded store must not be in use; PostgreSQL may be. */
export async function resetAdmin(
  { settings }: Configuration,
  { username: givenName, keepTokens = false }: ResetOptions,
  print: Print,
): Promise<void> {
  const name = givenName === undefined ? valid(FIRST_ADMINISTRATOR) : usernameReader.read(givenName);
  if (name.kind === 'invalid') throw new StewardError('invalid', `--username ${name.problem}.`);
  const store = await openExisting(storeLocation(settings));
  try {
    const access = createAccessArea(store, settings, systemClock);
    const password = newPassword();
    const account = await access.accounts.reset(name.value, localActor('reset-admin'), password, keepTokens);
    print(
      `${account.username} is an administrator and has this password:\n\n  ${password}\n\nAll sessions of this user have ended${keepTokens ? '' : ', and the named tokens that the user has created are revoked'}. Change the password after you have signed in.\n`,
    );
  } finally {
    await store.close();
  }
}
