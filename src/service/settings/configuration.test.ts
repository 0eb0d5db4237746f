import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/run/runFolder.ts';
import { ConfigurationError, readConfiguration } from './configuration.ts';
import type { Setting } from './settings.ts';
import { SETTINGS, fileVariableOf, variableOf } from './settings.ts';

function fileWith(text: string): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, 'steward.yaml');
  writeFileSync(file, text);
  return file;
}

function problemsOf(sources: Partial<Parameters<typeof readConfiguration>[0]>): readonly string[] {
  try {
    readConfiguration({ flags: {}, environment: {}, file: undefined, ...sources });
    return [];
  } catch (error) {
    return error instanceof ConfigurationError ? error.problems : [String(error)];
  }
}

test('without any source, every setting has its default', () => {
  const { settings, warnings } = readConfiguration({ flags: {}, environment: {}, file: undefined });
  const defaults = Object.entries(SETTINGS).map(([key, { defaultValue }]) => [key, defaultValue]);
  expect(settings).toEqual(Object.fromEntries(defaults));
  expect(warnings).toEqual([]);
});

test('[ADR3] flags take precedence over the environment, which takes precedence over the file', () => {
  const file = fileWith('port: 1\nhost: 192.0.2.1\nroot: /file\ntrusted-proxies: [10.0.0.0/8, 192.0.2.0/24]\n');
  const environment = { STEWARD_PORT: '2', STEWARD_HOST: '192.0.2.2' };
  const { settings } = readConfiguration({ flags: { port: '3' }, environment, file });
  expect(settings).toMatchObject({ port: 3, host: '192.0.2.2', root: '/file' });
  expect(settings.trustedProxies).toEqual(['10.0.0.0/8', '192.0.2.0/24']);
});

test('[DEC22] all problems are reported, and the value of a secret is not printed', () => {
  const environment = { STEWARD_PORT: 'x', STEWARD_ADMIN_PASSWORD: 'short', STEWARD_TLS_CERT: 'cert.pem' };
  const problems = problemsOf({ environment, file: fileWith('colour: red\n') });
  expect(problems).toHaveLength(4);
  expect(problems.join('\n')).not.toContain('short');
  for (const name of ['STEWARD_PORT', 'STEWARD_ADMIN_PASSWORD', 'colour', 'STEWARD_TLS_KEY'])
    expect(problems.join('\n')).toContain(name);
});

test('[ACC11] a file with a secret that others can read is a problem, and one without a secret is none', () => {
  const secrets = ['admin_password: a-long-password', 'store: postgres://user:word@db.example/steward'];
  for (const content of secrets) {
    const file = fileWith(`${content}\n`);
    chmodSync(file, 0o644);
    expect(problemsOf({ file })).toEqual([expect.stringContaining(`chmod 600 ${file}`)]);
    chmodSync(file, 0o600);
    expect(readConfiguration({ flags: {}, environment: {}, file }).warnings).toEqual([]);
  }
  const file = fileWith('port: 1\nstore: postgres://db.example/steward\n');
  chmodSync(file, 0o644);
  expect(readConfiguration({ flags: {}, environment: {}, file }).settings.port).toBe(1);
});

test('a file that is not a YAML mapping is one problem', () => {
  expect(problemsOf({ file: fileWith('- a\n') })).toEqual([expect.stringContaining('must be a YAML mapping')]);
  expect(problemsOf({ file: fileWith('a: [') })).toEqual([expect.stringContaining('is not valid YAML')]);
  expect(problemsOf({ file: '/no/such/file' })).toEqual([expect.stringContaining('cannot be read')]);
});

test('a mapping where a value is expected is a problem of that setting', () => {
  const file = fileWith('port: {toString: null}\n');
  expect(problemsOf({ file })).toEqual([expect.stringContaining(`port in ${file}`)]);
});

test('[DEC23] an unknown variable is a warning, and the variables of a Kubernetes Service are ignored', () => {
  const environment = { STEWARD_COLOUR: 'red', STEWARD_SERVICE_HOST: '10.0.0.1', STEWARD_PORT: 'tcp://10.0.0.1:80' };
  const { settings, warnings } = readConfiguration({ flags: {}, environment, file: undefined });
  expect(settings.port).toBe(SETTINGS.port.defaultValue);
  expect(warnings).toEqual([expect.stringContaining('STEWARD_COLOUR')]);
});

test.each(['STEWARD_TOKEN_FILE', 'STEWARD_LISTEN_SECRET', 'STEWARD_LISTEN_SECRET_FILE'])(
  '[DEC23] %s, a variable of another command, is ignored without a warning',
  (variable) => {
    const environment = { [variable]: 'x' };
    expect(readConfiguration({ flags: {}, environment, file: undefined }).warnings).toEqual([]);
  },
);

describe('[DEC68] a secret in a file', () => {
  const STORE = 'postgres://user:word@db.example/steward';
  const VALUES: Readonly<Record<string, string>> = {
    store: STORE,
    adminPassword: 'a-long-password',
    database: 'a=postgres://admin:word@db-a/postgres,b=postgres://admin:word@db-b/postgres',
  };
  const secrets = Object.entries<Setting>(SETTINGS).flatMap(([key, { isSecret }]) => (isSecret === true ? [key] : []));

  function secretFile(content: string, mode = 0o600): string {
    const file = fileWith(content);
    chmodSync(file, mode);
    return file;
  }

  test.each(secrets)(
    'the setting %s is read from the file that its variable names, without the last newline',
    (key) => {
      const value = VALUES[key] ?? '';
      const given = (environment: Record<string, string>) =>
        readConfiguration({ flags: {}, environment, file: undefined });
      const direct = given({ [variableOf(key)]: value });
      for (const end of ['', '\n', '\r\n']) {
        const fromFile = given({ [fileVariableOf(key)]: secretFile(value + end) });
        expect(fromFile).toEqual(direct);
        expect(fromFile.warnings).toEqual([]);
      }
    },
  );

  test('only one newline is dropped', () => {
    const { settings } = readConfiguration({
      flags: {},
      environment: { STEWARD_ADMIN_PASSWORD_FILE: secretFile(' a-long-password \n\n') },
      file: undefined,
    });
    expect(settings.adminPassword).toBe(' a-long-password \n');
  });

  test('both variables together are a problem that names both, and an empty one counts as not set', () => {
    const file = secretFile(STORE);
    expect(problemsOf({ environment: { STEWARD_STORE: STORE, STEWARD_STORE_FILE: file } })).toEqual([
      'STEWARD_STORE and STEWARD_STORE_FILE in the environment: set one of them, not both',
    ]);
    expect(problemsOf({ environment: { STEWARD_STORE: '', STEWARD_STORE_FILE: file } })).toEqual([]);
    expect(problemsOf({ environment: { STEWARD_STORE: STORE, STEWARD_STORE_FILE: '' } })).toEqual([]);
  });

  test('a flag takes precedence over it, and it takes precedence over the settings file', () => {
    const environment = { STEWARD_STORE_FILE: secretFile(STORE) };
    const flags = { store: 'sqlite' };
    expect(readConfiguration({ flags, environment, file: undefined }).settings.store).toBe('sqlite');
    const file = fileWith('store: sqlite\n');
    expect(readConfiguration({ flags: {}, environment, file }).settings.store).toBe(STORE);
  });

  test('a file that is missing, a folder, empty or below a file is named with its variable and what would be right', () => {
    const empty = secretFile('\n');
    const folder = `${empty}.d`;
    mkdirSync(folder);
    const problemWith = (path: string) => problemsOf({ environment: { STEWARD_STORE_FILE: path } });
    const right = 'name a file that contains the value of STEWARD_STORE';
    expect(problemWith('/no/such')).toEqual([`STEWARD_STORE_FILE: the file "/no/such" does not exist; ${right}`]);
    expect(problemWith(folder)).toEqual([`STEWARD_STORE_FILE: "${folder}" is a folder; ${right}`]);
    expect(problemWith(empty)).toEqual([
      `STEWARD_STORE_FILE: the file "${empty}" is empty; it must contain the value of STEWARD_STORE`,
    ]);
    expect(problemWith(`${empty}/x`)).toEqual([expect.stringMatching(`cannot be read .*ENOTDIR.*; ${right}`)]);
  });

  test('an invalid value is reported with the variable and the file, and is not printed', () => {
    const file = secretFile('short');
    const [problem = '', ...more] = problemsOf({ environment: { STEWARD_ADMIN_PASSWORD_FILE: file } });
    expect(more).toEqual([]);
    expect(problem).toContain(`STEWARD_ADMIN_PASSWORD_FILE in the environment, the file "${file}": must `);
    expect(problem).not.toContain('short');
  });

  test('[ACC11] a file that others can read is refused with the command that fixes it, unless it contains no password', () => {
    const exposed = secretFile(STORE, 0o644);
    expect(problemsOf({ environment: { STEWARD_STORE_FILE: exposed } })).toEqual([
      expect.stringMatching(`^STEWARD_STORE_FILE: .*Run: chmod 600 ${exposed}$`),
    ]);
    const open = secretFile('postgres://db.example/steward', 0o644);
    expect(problemsOf({ environment: { STEWARD_STORE_FILE: open } })).toEqual([]);
  });

  test('[DEC23] the variable of a setting that is not a secret is unknown with _FILE', () => {
    const environment = { STEWARD_PUBLIC_URL_FILE: '/x' };
    const { warnings } = readConfiguration({ flags: {}, environment, file: undefined });
    expect(warnings).toEqual([expect.stringContaining('STEWARD_PUBLIC_URL_FILE')]);
  });
});
