import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript5';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { runCommand, temporaryFolder } from '../support/run/runFolder.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { ADMIN_PASSWORD, startSteward } from '../support/server/stewardProcess.ts';

const TSC = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.asynciterable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    noEmit: true,
  },
};

/** Each line must be refused by the compiler; one that is not is an error itself. */
const REFUSED = `
import createClient from 'openapi-fetch';
import type { paths } from './steward.d.ts';

const steward = createClient<paths>({ baseUrl: '' });
// @ts-expect-error: no such path
await steward.GET('/admin/servces');
// @ts-expect-error: no such method
await steward.GET('/admin/services/createService');
// @ts-expect-error: a required field is missing
await steward.POST('/admin/services/createService', { body: { serviceName: 'A' } });
// @ts-expect-error: a required field has another name
await steward.POST('/admin/services/createService', { body: { serviceName: 'A', typ: 'Map' } });
// @ts-expect-error: a field of another type
await steward.POST('/admin/services/webhooks/settings', { body: { notificationAttempts: [5] } });
// @ts-expect-error: no such field of an answer
void (await steward.GET('/admin/services')).data?.service;
// @ts-expect-error: no such field of an error
void (await steward.GET('/admin/services')).error?.code;
`;

const folder = temporaryFolder();
let steward: StewardProcess;

beforeAll(async () => {
  const env = { STEWARD_DEMO_RECEIVER_PORT: '0' };
  steward = await startSteward({ data: join(folder.path, 'data'), args: ['--demo'], env });
  const settings = { rolloutMs: '0', hookMs: '0', databaseMs: '0' };
  await steward.must('/admin/demo/settings', { token: await steward.token(), ...settings });
});
afterAll(async () => {
  await steward.end('SIGTERM');
  folder.remove();
});

/** The program of the page. */
function program(): string {
  const page = readFileSync(join(PROJECT, 'docs', 'clients.md'), 'utf8');
  return /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
}

const write = (name: string, text: string): void => writeFileSync(join(folder.path, name), text);

test('[ADR6] a client that is generated from the OpenAPI document compiles, refuses what is wrong, and works', async () => {
  const types = astToString(await openapiTS((await steward.get('/openapi.json')).text));
  symlinkSync(join(PROJECT, 'node_modules'), join(folder.path, 'node_modules'));
  write('package.json', '{"type":"module"}');
  write('tsconfig.json', JSON.stringify(TSCONFIG));
  write('steward.d.ts', types);
  write('client.ts', program());
  write('refused.ts', REFUSED);
  const checked = await runCommand(process.execPath, [TSC, '-p', folder.path], { cwd: folder.path });
  expect(checked).toEqual({ status: 0, stdout: '', stderr: '' });

  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  write('client.js', ts.transpileModule(program(), { compilerOptions: options }).outputText);
  const env = { PATH: process.env['PATH'], STEWARD_URL: steward.url, STEWARD_PASSWORD: ADMIN_PASSWORD };
  const { status, stdout, stderr } = await runCommand(process.execPath, ['client.js'], { cwd: folder.path, env });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^published: .*\/services\/Orders\d+\/Query revision 1$/m);
  expect(stdout).toMatch(/^attempts: 5 success$/m);
  expect(stdout).toMatch(/^webhook: orders true$/m);
  expect(stdout).toMatch(/^upgrade: in_progress \w+/m);
  expect(stdout).toMatch(/^2012 /m);
  expect(stdout).toMatch(/^installed: 10\.9\.1\.1842$/m);
});
