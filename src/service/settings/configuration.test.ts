import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/run/runFolder.ts';
import { ConfigurationError, readConfiguration } from './configuration.ts';
import { SETTINGS } from './settings.ts';

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
