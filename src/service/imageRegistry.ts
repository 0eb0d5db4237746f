// The image registries for commands at a terminal. It is here because commands in cli may not use drivers.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { placeOf } from '../drivers/kubernetes/registry/registryConnection.ts';
import type { ImageReference } from '../drivers/kubernetes/registry/imageReference.ts';
import { parseReference } from '../drivers/kubernetes/registry/imageReference.ts';
import { credentialsFrom } from '../drivers/kubernetes/registry/pullSecrets.ts';
import type { Credentials } from '../drivers/kubernetes/registry/credentials.ts';
import { createRegistryClient } from '../drivers/kubernetes/registry/registryClient.ts';
import { StewardError, reasonOf } from '../foundation/errors.ts';
import { parseJson, valueAt } from '../foundation/schema/json.ts';
import { DeploymentRefusal } from '../model/failure.ts';
import { certificateProblem } from './files/configuredFiles.ts';
import { readRegistries } from './settings/settingReaders.ts';

/** The flags of a command, as typed. */
export interface RegistryFlags {
  readonly registryCa?: string;
  readonly registryHttp?: string;
}

/** Credentials for one registry, as given to a command. */
interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

function readFile(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StewardError('invalid', `${what} ${file} cannot be read: ${reasonOf(error)}`);
  }
}

/** The credentials that `docker login` has stored. Those in a credential store of the system are not read. */
function dockerCredentials(environment: Environment): Credentials {
  const file = join(environment['DOCKER_CONFIG'] ?? join(environment['HOME'] ?? homedir(), '.docker'), 'config.json');
  if (!existsSync(file)) return new Map();
  return credentialsFrom(valueAt(parseJson(readFile(file, 'The Docker configuration')), 'auths'));
}

function plainHttp(given: string | undefined): ReadonlySet<string> {
  const read = readRegistries(given ?? '');
  if (read.kind === 'invalid') throw new StewardError('invalid', `--registry-http ${read.problem}`);
  return new Set(read.value);
}

function certificates(file: string | undefined): string | undefined {
  if (file === undefined || file === '') return undefined;
  const pem = readFile(file, 'The certificate file');
  const problem = certificateProblem(pem);
  if (problem !== undefined)
    throw new StewardError('invalid', `The certificate file ${file} cannot be used: ${problem}`);
  return pem;
}

/** Credentials that are given for this command take the place of stored ones. */
function credentialsFor(reference: ImageReference, login: RegistryLogin): Credentials {
  const basic = Buffer.from(`${login.username}:${login.password}`).toString('base64');
  return new Map([[placeOf(reference).host, basic]]);
}

/** Opens the registries. Flags take precedence over the variables that the service has for the same. */
export function openImageRegistry(flags: RegistryFlags, environment: Environment) {
  const client = createRegistryClient({
    ca: certificates(flags.registryCa ?? environment['STEWARD_REGISTRY_CA']),
    plainHttp: plainHttp(flags.registryHttp ?? environment['STEWARD_REGISTRY_HTTP']),
  });
  const credentials = dockerCredentials(environment);
  return {
    find: (image: string) => client.find(parseReference(image), { credentials }),

    /** Puts a bundle into a registry, and returns its digest there. */
    async push(image: string, bundle: Buffer, login?: RegistryLogin): Promise<string> {
      const reference = parseReference(image);
      const used = login === undefined ? credentials : credentialsFor(reference, login);
      return client.pushBundle(reference, bundle, used).catch((error: unknown) => {
        const isRefused = error instanceof DeploymentRefusal;
        const advice = isRefused ? ' Use docker login or --username with an account that may push there.' : '';
        throw new StewardError('invalid', `The objects were not pushed: ${reasonOf(error)}.${advice}`);
      });
    },

    close: () => client.close(),
  };
}
