// The files that settings name. All are read before anything is opened, and all mistakes are reported together, each with its
// setting. No message quotes the content of a file, which may be a private key.
import { X509Certificate, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { ConfigurationError } from '../settings/configuration.ts';
import type { Settings } from '../settings/settings.ts';
import { variableOf } from '../settings/settings.ts';
import { ensureMasterKeys } from './masterKey.ts';
import { exposure } from './secretFile.ts';

type FileSetting = 'tlsCert' | 'tlsKey' | 'webhookCa' | 'manifestKey' | 'licenceKey' | 'registryCa';

export interface ConfiguredFiles {
  /** Undefined for plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** The certificate authorities of receivers; undefined if only the public ones are trusted. */
  readonly webhookCa: string | undefined;
  /** The certificate authorities of image registries. */
  readonly registryCa: string | undefined;
  /** Public keys, in PEM. */
  readonly manifestKey: string | undefined;
  readonly licenceKey: string | undefined;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Why a text cannot be used as certificates; undefined if it can. */
export function certificateProblem(pem: string): string | undefined {
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) return 'it contains no certificate in PEM (-----BEGIN CERTIFICATE-----)';
  const broken = certificates.findIndex((certificate) => {
    try {
      return new X509Certificate(certificate).subject === undefined;
    } catch {
      return true;
    }
  });
  return broken === -1 ? undefined : `certificate ${broken + 1} of ${certificates.length} in it cannot be read`;
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
function createFileReader(settings: Settings, problems: string[]) {
  return (key: FileSetting, problemOf: (content: string, file: string) => string | undefined): string | undefined => {
    const file = settings[key];
    if (file === undefined) return undefined;
    const report = (problem: string): undefined =>
      void problems.push(`${variableOf(key)}: the file "${file}" cannot be used: ${problem}`);
    let content: string;
    try {
      content = readFileSync(file, 'utf8');
    } catch (error) {
      return report(reasonOf(error));
    }
    const problem = problemOf(content, file);
    return problem === undefined ? content : report(problem);
  };
}

function readTls(read: ReturnType<typeof createFileReader>, problems: string[]): ConfiguredFiles['tls'] {
  const cert = read('tlsCert', certificateProblem);
  const key = read('tlsKey', (_content, file) => exposure(file));
  if (cert === undefined || key === undefined) return undefined;
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    problems.push(`STEWARD_TLS_CERT and STEWARD_TLS_KEY: the files cannot be used together: ${reasonOf(error)}`);
  }
  return { cert, key };
}

/** A configured key must exist; the key in the data folder is created later. */
function checkMasterKey({ masterKeyFile }: Settings, problems: string[]): void {
  if (masterKeyFile === undefined) return;
  try {
    ensureMasterKeys('', masterKeyFile);
  } catch (error) {
    const isExplained = error instanceof StewardError;
    problems.push(
      `STEWARD_MASTER_KEY_FILE: ${isExplained ? '' : `the file "${masterKeyFile}" cannot be used: `}${reasonOf(error)}`,
    );
  }
}

/** Reads all files that settings name. */
export function readConfiguredFiles(settings: Settings): ConfiguredFiles {
  const problems: string[] = [];
  const read = createFileReader(settings, problems);
  const files = {
    tls: readTls(read, problems),
    webhookCa: read('webhookCa', certificateProblem),
    registryCa: read('registryCa', certificateProblem),
    manifestKey: read('manifestKey', publicKeyProblem),
    licenceKey: read('licenceKey', publicKeyProblem),
  };
  checkMasterKey(settings, problems);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return files;
}
