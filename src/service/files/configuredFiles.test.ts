import { execFileSync } from 'node:child_process';
import { X509Certificate, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/run/runFolder.ts';
import { runSteward } from '../../../test/support/server/stewardProcess.ts';
import { ConfigurationError, readConfiguration } from '../settings/configuration.ts';
import { flagOf, variableOf } from '../settings/settings.ts';
import { expiryOf, readConfiguredFiles } from './configuredFiles.ts';

function folder(): string {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  return path;
}

function problemsOf(flags: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfiguredFiles(readConfiguration({ flags, environment: {}, file: undefined }).settings);
    return [];
  } catch (error) {
    return error instanceof ConfigurationError ? error.problems : [`no configuration error: ${String(error)}`];
  }
}

const FILE_SETTINGS = ['tlsCert', 'tlsKey', 'webhookCa', 'manifestKey', 'licenceKey', 'masterKeyFile'] as const;

/** Certificate and key are only given together. */
function flagsFor(key: (typeof FILE_SETTINGS)[number], file: string): Readonly<Record<string, string>> {
  return key.startsWith('tls') ? { tlsCert: file, tlsKey: file } : { [key]: file };
}

test.each(FILE_SETTINGS)(
  '[DEC22] a file of %s that is missing, a folder or of another kind is named with its setting',
  (key) => {
    const at = folder();
    mkdirSync(join(at, 'folder'));
    writeFileSync(join(at, 'text'), 'this is none of the files that a setting may name');
    writeFileSync(join(at, 'empty'), '');
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    writeFileSync(join(at, 'broken'), broken);
    const isLoose = key === 'tlsKey';
    for (const name of ['missing', 'folder', 'text', 'empty', 'broken']) {
      const problems = problemsOf(flagsFor(key, join(at, name)));
      // The content of a key is checked together with its certificate.
      const variable = isLoose && !['missing', 'folder'].includes(name) ? 'STEWARD_TLS_CERT' : variableOf(key);
      expect(problems.join('\n')).toContain(`${variable}: `);
      expect(problems.join('\n')).toContain(join(at, name));
      expect(problems.join('\n')).not.toContain('none of the files');
    }
  },
);

test('[DEC22] the mistakes in all files are reported together, and correct files are read', () => {
  const at = folder();
  const keys = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  writeFileSync(join(at, 'public'), keys.publicKey);
  writeFileSync(join(at, 'private'), keys.privateKey);
  expect(problemsOf({ manifestKey: join(at, 'public'), licenceKey: join(at, 'public') })).toEqual([]);
  const wrong = problemsOf({
    manifestKey: join(at, 'private'),
    licenceKey: join(at, 'none'),
    webhookCa: join(at, 'public'),
  });
  expect(wrong).toHaveLength(3);
});

test.each(['webhookCa', 'manifestKey', 'masterKeyFile'])(
  '[DEC22] a start with a wrong file of %s ends with the configuration error',
  async (key) => {
    const at = folder();
    const file = join(at, 'wrong');
    writeFileSync(file, 'wrong');
    const { status, stderr } = await runSteward(['serve', '--port', '0', '--data', at, `--${flagOf(key)}`, file]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(variableOf(key)) });
    expect(stderr).toContain('Steward cannot start. One setting is invalid.');
  },
);

test('[DEC81] a chain expires with the first of its certificates', () => {
  const at = folder();
  const made = [30, 2, 9].map((days) => {
    const [key, cert] = [join(at, 'key.pem'), join(at, `${days}.pem`)];
    const command = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=x', '-days', String(days)];
    execFileSync('openssl', [...command, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return readFileSync(cert, 'utf8');
  });
  const first = Date.parse(new X509Certificate(made[1] ?? '').validTo);
  expect(expiryOf(made.join('\n'))).toBe(first);
});
