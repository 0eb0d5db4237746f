import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REMOTE_COMMANDS } from '../../src/cli/commands/register.ts';
import type { OutputFlags } from '../../src/cli/output/output.ts';
import { printAnswer } from '../../src/cli/output/output.ts';
import { displayWidth } from '../../src/cli/output/displayWidth.ts';
import type { CommandLineOptions, Outcome } from '../support/cli/commandLine.ts';
import { runCommandLine } from '../support/cli/commandLine.ts';
import type { DemoServer } from '../support/cli/demoServer.ts';
import { startDemo } from '../support/cli/demoServer.ts';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';

const SERVICE = 'Overview.Map';
const PATCH = 'pat_10.9.1.1842';
const WIDTHS = [40, 60, 80, 200];

let folder: TemporaryFolder;
let demo: DemoServer;
let environment: Readonly<Record<string, string>>;
let webhook: string;
beforeAll(async () => {
  folder = temporaryFolder();
  demo = await startDemo(folder.path, 3000);
  environment = { STEWARD_SERVER: demo.steward.url, STEWARD_TOKEN: await demo.token() };
  webhook = (await run(['webhooks', 'create', SERVICE, 'orders', demo.receiver, '-o', 'json'])).stdout;
  webhook = JSON.parse(webhook).webhook.id;
});
afterAll(async () => {
  await demo.steward.end('SIGTERM');
  folder.remove();
});

function run(args: readonly string[], more: Partial<CommandLineOptions> = {}): Promise<Outcome> {
  return runCommandLine(args, { home: demo.home, environment, ...more });
}

describe('[O1] a list shows what the other commands need', () => {
  test.each(WIDTHS)('the service and the id of a webhook are whole on a terminal of %i columns', async (width) => {
    const { stdout } = await run(['webhooks', 'ls'], { width });
    for (const shown of [SERVICE, webhook]) expect(stdout).toContain(shown);
    expect(Math.max(...stdout.split('\n').map(displayWidth))).toBeLessThanOrEqual(width);
  });

  test('-o name prints the arguments of the other commands, and --quiet the ids as before', async () => {
    expect((await run(['webhooks', 'ls', '-o', 'name'])).stdout).toBe(`${SERVICE} ${webhook}\n`);
    expect((await run(['webhooks', 'ls', '--quiet'])).stdout).toBe(`${webhook}\n`);
    const { stdout } = await run(['catalog', 'ls', '--all', '-o', 'name']);
    const services = stdout.trim().split('\n');
    for (const service of services) expect(await run(['catalog', 'show', service])).toMatchObject({ code: 0 });
    expect(services.length).toBeGreaterThan(5);
  });

  test('-o name of the current version, of its adoption and of the status prints the id that other commands take', async () => {
    const version = (await run(['upgrades', 'current', '-o', 'name'])).stdout.trim();
    expect(await run(['upgrades', 'images', version])).toMatchObject({ code: 0 });
    expect((await run(['upgrades', 'adopt', version, '--dry-run', '-o', 'name'])).stdout).toBe(`${version}\n`);
    expect((await run(['upgrades', 'current', '--quiet'])).stdout).toBe('10.9.1.1800\n');
    await run(['upgrades', 'start', PATCH, '--yes']);
    const job = (await run(['upgrades', 'status', '-o', 'name'])).stdout.trim();
    expect(await run(['jobs', 'show', job])).toMatchObject({ code: 0 });
    await run(['upgrades', 'rollback', PATCH, '--yes']);
  });

  test('[U20] the table of the deployment says what the installed version lacks, unless columns are chosen', () => {
    const command = REMOTE_COMMANDS.find(({ words }) => words === 'deployment');
    if (command === undefined) throw new Error('there is no such command');
    const answer = { workloads: [{ workload: 'web' }], incomplete: ['web/app (no workload has it)'] };
    const printed = (shown: object, flags: OutputFlags = {}): string => {
      let text = '';
      const streams = { width: undefined, print: (part: string) => void (text += part), printError: () => undefined };
      printAnswer(streams, flags, command.view, shown, command.operation.answer);
      return text;
    };
    expect(printed(answer)).toMatch(/\nThe installed version is not complete:\n {2}web\/app \(no workload has it\)\n$/);
    for (const text of [printed({ workloads: answer.workloads }), printed(answer, { columns: ['workload'] })])
      expect(text).not.toContain('not complete');
  });

  test('[U30] upgrades status says that it prints the last messages, of which --json has all', async () => {
    const { stdout } = await run(['upgrades', 'status', '--help']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'its last 10 messages and what to do next. --json has all messages',
    );
  });

  test('-o json is --json, and -o columns shows the chosen columns in their order', async () => {
    const [long, short] = [await run(['users', 'ls', '--json']), await run(['users', 'ls', '-o', 'json'])];
    expect(short.stdout).toBe(long.stdout);
    const { stdout } = await run(['webhooks', 'ls', '-o', 'columns=name,ledger.accepted,service']);
    expect(stdout.split('\n').map((line) => line.trim().split(/\s+/))).toEqual([
      ['NAME', 'ACCEPTED', 'SERVICE'],
      ['orders', '0', SERVICE],
      [''],
    ]);
  });

  test('an unknown column names the nearest and all others, before anything is called', async () => {
    const found = await run(['webhooks', 'ls', '-o', 'columns=id,hookurl'], { environment: {} });
    expect(found).toMatchObject({ code: 2, stdout: '' });
    expect(found.stderr).toMatch(
      /no column "hookurl". The nearest name is hookUrl. The columns are: service, id, name/,
    );
    expect((await run(['webhooks', 'ls', '-o', 'wide'])).stderr).toContain('json, name or columns=a,b');
    expect((await run(['webhooks', 'ls', '-o', 'name', '--json'])).code).toBe(2);
  });

  test('every list has the flag, and its help names its columns', async () => {
    const lists = REMOTE_COMMANDS.filter(({ view }) => view.kind === 'table');
    expect(lists.length).toBeGreaterThan(18);
    for (const { words, view } of lists) {
      const { stdout } = await run([...words.split(' '), '--help'], { width: 1000 });
      expect(stdout).toContain('-o, --output <form>');
      expect(stdout).toContain(`Columns:\n  ${view.kind === 'table' ? view.columns.join(', ') : ''}`);
    }
  });
});

describe('[U30] the command line speaks of its own commands, on lines that can be read', () => {
  test('the plan names --license in place of an address of the interface', async () => {
    const { stdout, code } = await run(['upgrades', 'plan', 'rel_11.0']);
    expect(code).toBe(9);
    expect(stdout).toContain(
      '--license is required for 11.0.2100.\n        Name the licence file with --license FILE.',
    );
    expect(stdout).not.toMatch(/licenseUpload|uploads\/upload|itemID/);
  });

  test('the paths are a table of ids', async () => {
    const { stdout } = await run(['upgrades', 'paths']);
    expect(stdout).toMatch(/^ID +VERSIONS\n/);
    expect(stdout).toContain('rel_11.0 → pat_11.0.2187\n');
    expect(stdout).not.toContain('{');
  });

  test('a text of several lines has its lines in a record, and spaces in a table', async () => {
    const description = 'one\ntwo';
    const added = await run(['catalog', 'publish', 'Lines.Report', '--description', description]);
    expect(added.stdout).toContain('description\n  one\n  two\n');
    await demo.client.must('/admin/mode', { ...(await signedIn()), isReadOnly: 'true', message: description });
    const status = await run(['status'], { width: 40 });
    await demo.client.must('/admin/mode', { ...(await signedIn()), isReadOnly: 'false' });
    expect(status.stdout).toContain('read-only: one two\n');
    for (const line of status.stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(40);
  });

  test('[U24] cancel and retry follow the job, --detach does not, and retry takes --after-failure', async () => {
    await demo.client.must('/admin/demo/settings', { ...(await signedIn()), rolloutMs: '3000' });
    await run(['upgrades', 'start', PATCH, '--yes', '--detach']);
    await demo.client.must('/admin/demo/settings', { ...(await signedIn()), rolloutMs: '300' });
    const cancelled = await run(['upgrades', 'cancel'], { typed: ['y'] });
    expect(cancelled).toMatchObject({ code: 0, stderr: expect.stringContaining('has ended: rolled back') });
    expect(cancelled.stderr).toMatch(/^Cancel the upgrade from 10\.9\.1\.1800 to 10\.9\.1\.1842\?/);
    const fault = await demo.client.must('/admin/demo/faults/add', {
      ...(await signedIn()),
      kind: 'hookFails',
      hook: 'logging',
    });
    expect(fault).toBeDefined();
    const release = ['upgrades', 'start', 'rel_11.0', '--license', demo.files['LICENCE_FILE'] ?? '', '--yes'];
    expect((await run(release)).code).toBe(9);
    const mode = async () => JSON.parse((await run(['mode', 'show', '--json'])).stdout);
    expect(await mode()).toMatchObject({ isReadOnly: true });
    expect((await run(['upgrades', 'retry', '--after-failure', 'open'])).code).toBe(9);
    expect(await mode()).toMatchObject({ isReadOnly: false });
    await demo.client.must('/admin/demo/faults/remove', { ...(await signedIn()), all: 'true' });
    const retried = await run(['upgrades', 'retry']);
    expect(retried).toMatchObject({ code: 0, stderr: expect.stringContaining('has ended: success') });
    // The messages from before the retry are not shown again.
    expect(retried.stdout).not.toContain('  2287  ');
    expect(retried.stdout.split('\n').length).toBeGreaterThan(2);
  });
});

async function signedIn() {
  return { token: await demo.token() };
}

describe('[V14] an answer of a proxy', () => {
  test.each([
    [413, 1, 'client_max_body_size'],
    [502, 7, 'Check that Steward runs'],
    [503, 7, 'Check that Steward runs'],
    [504, 7, 'proxy_read_timeout'],
    [404, 1, 'Is the address right?'],
  ])('with %i ends the command with %i and says %s', async (status, code, said) => {
    const proxy = createServer((_request, response) => response.writeHead(status).end('<h1>nginx</h1>'));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const behind = { STEWARD_SERVER: `http://127.0.0.1:${port}`, STEWARD_TOKEN: 'x' };
    const found = await run(['uploads', 'ls'], { environment: behind });
    proxy.close();
    expect(found).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) });
  });
});

describe('[C7] a question says what will happen', () => {
  test('the webhooks of a deleted service remain, and tokens are handed over or revoked', async () => {
    const ask = async (...args: readonly string[]) => (await run(args, { typed: ['n'] })).stderr;
    await run(['catalog', 'publish', 'Doomed.Report']);
    await run(['webhooks', 'create', 'Doomed.Report', 'kept', demo.receiver]);
    expect(await ask('catalog', 'rm', 'Doomed.Report')).toContain('Its webhooks remain');
    await run(['catalog', 'rm', 'Doomed.Report', '--yes']);
    expect((await run(['webhooks', 'ls', 'Doomed.Report', '-o', 'columns=name'])).stdout).toContain('kept');
    expect(await ask('users', 'rm', 'ann')).toContain('revoke the named tokens');
    expect(await ask('users', 'rm', 'ann', '--tokens-to', 'bob')).toContain('hand the named tokens over to bob');
    expect(await ask('webhooks', 'rm-all', SERVICE)).toContain(`Delete all webhooks of the service ${SERVICE}`);
  });
});
