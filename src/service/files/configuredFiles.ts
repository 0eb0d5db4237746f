// The files that settings name. All are read before anything is opened, and all mistakes are reported together, each with its
// setting. No message quotes the content of a file, which may be a private key.
import { X509Certificate, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { TlsPair } from '../../http/server/commonHeaders.ts';
import { ConfigurationError } from '../settings/configuration.ts';
import type { Settings } from '../settings/settings.ts';
import { variableOf } from '../settings/settings.ts';
import { readMasterKeys } from './masterKey.ts';
import { exposure, readTrouble } from '../settings/secretFile.ts';

type FileSetting = 'tlsCert' | 'tlsKey' | 'webhookCa' | 'manifestKey' | 'licenceKey' | 'registryCa';

export interface ConfiguredFiles {
  /** Undefined for plain HTTP. */
  readonly tls: TlsPair | undefined;
  /** The certificate authorities of receivers; undefined if only the public ones are trusted. */
  readonly webhookCa: string | undefined;
  /** The certificate authorities of image registries. */
  readonly registryCa: string | undefined;
  /** Public keys, in PEM. */
  readonly manifestKey: string | undefined;
  readonly licenceKey: string | undefined;
  /** Undefined if the data folder has no master key yet. */
  readonly masterKeys: readonly Buffer[] | undefined;
}

const BLOCK_BEGINS = /-----BEGIN /g;
const BLOCK_ENDS = /-----END [^-\n]+-----/g;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Why a text cannot be used as certificates; undefined if it can. */
export function certificateProblem(pem: string): string | undefined {
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) return 'it contains no certificate in PEM (-----BEGIN CERTIFICATE-----)';
  // A file that is being written may end in the middle of a block.
  if (pem.match(BLOCK_BEGINS)?.length !== pem.match(BLOCK_ENDS)?.length)
    return 'it is incomplete: a block in it has no end (-----END …-----)';
  const broken = certificates.findIndex((certificate) => {
    try {
      return new X509Certificate(certificate).subject === undefined;
    } catch {
      return true;
    }
  });
  return broken === -1 ? undefined : `certificate ${broken + 1} of ${certificates.length} in it cannot be read`;
}

/** Node accepts a text without a key, and then every handshake fails. */
function privateKeyProblem(pem: string): string | undefined {
  return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)
    ? undefined
    : 'it contains no private key in PEM (-----BEGIN PRIVATE KEY-----)';
}

/** When the first certificate of a chain expires. From then on, clients reject the whole chain. */
export function expiryOf(pem: string): number {
  return Math.min(...(pem.match(CERTIFICATE) ?? []).map((one) => Date.parse(new X509Certificate(one).validTo)));
}

function publicKeyProblem(pem: string): string | undefined {
  try {
    if (pem.includes('PUBLIC KEY') && createPublicKey(pem).asymmetricKeyType === 'ed25519') return undefined;
  } catch {
    // It is reported in the same words as a key of another kind.
  }
  return 'it must contain the public half of an Ed25519 key, in PEM';
}

/** Reads the files, and adds what is wrong to `problems`. */
function createFileReader<K extends FileSetting>(
  settings: Readonly<Record<K, string | undefined>>,
  problems: string[],
) {
  return (key: K, problemOf: (content: string, file: string) => string | undefined): string | undefined => {
    const file = settings[key];
    if (file === undefined) return undefined;
    const report = (problem: string): undefined =>
      void problems.push(`${variableOf(key)}: the file "${file}" cannot be used: ${problem}`);
    let content: string;
    try {
      content = readFileSync(file, 'utf8');
    } catch (error) {
      return report(readTrouble(file, error));
    }
    const problem = problemOf(content, file);
    return problem === undefined ? content : report(problem);
  };
}

type TlsFiles = Pick<Settings, 'tlsCert' | 'tlsKey'>;

/** Reads the certificate and its key, and adds what is wrong with them to `problems`. */
export function readTls(settings: TlsFiles, problems: string[]): TlsPair | undefined {
  const read = createFileReader<keyof TlsFiles>(settings, problems);
  const cert = read('tlsCert', certificateProblem);
  const key = read('tlsKey', (content, file) => exposure(file) ?? privateKeyProblem(content));
  if (cert === undefined || key === undefined) return undefined;
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    problems.push(
      `STEWARD_TLS_CERT and STEWARD_TLS_KEY: the files "${settings.tlsCert}" and "${settings.tlsKey}" cannot be used together: ${reasonOf(error)}`,
    );
  }
  return { cert, key };
}

/** A configured key must exist. The key in the data folder is created after the store was opened, if that has no secrets. */
function readKeys({ data, masterKeyFile }: Settings, problems: string[]): readonly Buffer[] | undefined {
  try {
    return readMasterKeys(resolve(data), masterKeyFile);
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    problems.push(masterKeyFile === undefined ? error.message : `STEWARD_MASTER_KEY_FILE: ${error.message}`);
    return undefined;
  }
}

/** Reads all files that settings name, and the master key. */
export function readConfiguredFiles(settings: Settings): ConfiguredFiles {
  const problems: string[] = [];
  const read = createFileReader<FileSetting>(settings, problems);
  const files = {
    tls: readTls(settings, problems),
    webhookCa: read('webhookCa', certificateProblem),
    registryCa: read('registryCa', certificateProblem),
    manifestKey: read('manifestKey', publicKeyProblem),
    licenceKey: read('licenceKey', publicKeyProblem),
    masterKeys: readKeys(settings, problems),
  };
  if (problems.length > 0) throw new ConfigurationError(problems);
  return files;
}
