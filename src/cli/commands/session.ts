import { resolve } from 'node:path';
import { isObject } from '../../foundation/schema/json.ts';
import { accessOperations } from '../../wire/operations/accessOperations.ts';
import { timeText } from '../output/values.ts';
import { openConnection } from '../remote/connection.ts';
import type { Exit } from '../remote/exitCodes.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import { profilePath, readProfile, removeProfile, writeProfile } from '../remote/profile.ts';
import { readAddress } from '../remote/serverAddress.ts';
import type { Streams } from '../remote/streams.ts';
import { callOperation } from '../remote/typedCall.ts';
import type { CommandRun, RemoteFlags } from './remoteCommand.ts';
import { profileName, readSecret } from './runRemote.ts';

export interface LoginOptions extends RemoteFlags {
  readonly username?: string;
  readonly passwordFile?: string;
  readonly expiration?: string;
}

const DEFAULT_SERVER = 'http://127.0.0.1:6080';
const A_DAY = '1440';

/** Signs in and writes the profile. */
export async function login(given: string | undefined, options: LoginOptions, streams: Streams): Promise<void> {
  const name = profileName(streams, options);
  const path = profilePath(streams, name);
  const url =
    given ?? options.server ?? streams.environment['STEWARD_SERVER'] ?? readProfile(path)?.url ?? DEFAULT_SERVER;
  readAddress(url);
  const givenCaFile = options.caFile ?? streams.environment['STEWARD_CA_FILE'];
  // The profile is used in other folders too.
  const caFile = givenCaFile === undefined ? undefined : resolve(givenCaFile);
  const connection = openConnection({ url, token: undefined, caFile });
  try {
    if (options.username === undefined && !streams.canAsk) throw new CommandFailure('usage', '--username is required.');
    const username = options.username ?? (await streams.ask('username: '));
    const password = await readSecret(streams, 'password', options.passwordFile);
    const answer = await callOperation(connection, accessOperations.generateToken, {
      fields: { username, password, expiration: options.expiration ?? A_DAY },
    });
    if (!isObject(answer) || typeof answer['token'] !== 'string' || typeof answer['expires'] !== 'number')
      throw new CommandFailure('failed', `${connection.base} did not answer as Steward does. Is the address right?`);
    const { token, expires } = answer;
    writeProfile(path, { url, token, username, expires, ...(caFile !== undefined && { caFile }) });
    if (options.json === true) streams.print(`${JSON.stringify({ username, url, expires, profile: name }, null, 2)}\n`);
    else if (options.quiet !== true)
      streams.print(`Signed in at ${url} as ${username} until ${timeText(expires)} (profile ${name}).\n`);
  } finally {
    await connection.close();
  }
}

/** Revokes the token and removes the profile, also if the token is not valid any more. */
export async function logout({ call, flags, streams }: CommandRun): Promise<Exit> {
  const name = profileName(streams, flags);
  const path = profilePath(streams, name);
  if (readProfile(path) === undefined && streams.environment['STEWARD_TOKEN'] === undefined)
    throw new CommandFailure('notSignedIn', `There is no profile ${name}, so you are not signed in.`);
  try {
    await call();
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exit !== 'notSignedIn') throw error;
  }
  removeProfile(path);
  if (flags.json === true) streams.print(`${JSON.stringify({ status: 'success' }, null, 2)}\n`);
  else if (flags.quiet !== true) streams.print(`Signed out (profile ${name}).\n`);
  return 'done';
}
