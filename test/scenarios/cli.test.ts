import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REMOTE_COMMANDS } from '../../src/cli/commands/register.ts';
import { displayWidth } from '../../src/cli/output/displayWidth.ts';
import { accessOperations } from '../../src/wire/operations/accessOperations.ts';
import { INTERFACE } from '../../src/wire/client/interface.ts';
import type { Operations } from '../../src/wire/operations/operations.ts';
import { deliveryOperations, serviceWebhookOperations } from '../../src/wire/operations/webhookOperations.ts';
import type { CommandLineOptions, Outcome } from '../support/cli/commandLine.ts';
import { runCommandLine } from '../support/cli/commandLine.ts';
import type { CommandStep } from '../support/cli/commandSteps.ts';
import { COMMAND_STEPS, argumentsOfStep } from '../support/cli/commandSteps.ts';
import type { DemoServer } from '../support/cli/demoServer.ts';
import { SECOND_PASSWORD, startDemo } from '../support/cli/demoServer.ts';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { problemsOf } from '../support/server/openapiDocument.ts';
import { ADMIN_PASSWORD } from '../support/server/stewardProcess.ts';

const ALL_OPERATIONS: Operations = Object.fromEntries(
  Object.values<Operations>(INTERFACE).flatMap((table) => Object.values(table).map((row) => [row.path, row])),
);

const COMMAND_OF = new Map(REMOTE_COMMANDS.map((row) => [row.words, row]));
const NO_DOCUMENT = { paths: {}, components: { schemas: {} } };

let folder: TemporaryFolder;
let demo: DemoServer;
beforeAll(async () => {
  folder = temporaryFolder();
  demo = await startDemo(folder.path, 3000);
});
afterAll(async () => {
  await demo.steward.end('SIGTERM');
  folder.remove();
});

function run(args: readonly string[], more: Partial<CommandLineOptions> = {}): Promise<Outcome> {
  return runCommandLine(args, { home: demo.home, ...more });
}

function login(username: string, password: string, profile: string): Promise<Outcome> {
  const args = ['login', demo.steward.url, '--username', username, '--password-file', '-', '--profile', profile];
  return run(args, { input: `${password}\n` });
}

test('[DEC94] a sign-in whose profile cannot be written says what to set, in one sentence', async () => {
  // Not even root can create a folder below a device.
  const args = ['login', demo.steward.url, '--username', 'admin', '--password-file', '-'];
  const done = await run(args, { input: `${ADMIN_PASSWORD}\n`, home: '/dev/null/home' });
  expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('Set HOME or XDG_CONFIG_HOME') });
  expect(done.stderr.trim().split('\n')).toHaveLength(1);
});

describe('[DEC100] the commands are those of the operation table', () => {
  test('every operation has a command, but login of a browser and generateToken, which steward login calls', () => {
    const called = new Set([...REMOTE_COMMANDS.map(({ operation }) => operation.path), deliveryOperations.all.path]);
    const others = new Set<string>([
      accessOperations.login.path,
      accessOperations.generateToken.path,
      serviceWebhookOperations.list.path,
    ]);
    const missing = Object.keys(ALL_OPERATIONS).filter((path) => !called.has(path) && !others.has(path));
    expect(missing).toEqual([]);
  });

  test('every command has a step that tries it', () => {
    const tried = new Set(COMMAND_STEPS.map(({ words }) => words));
    expect(REMOTE_COMMANDS.map(({ words }) => words).filter((words) => !tried.has(words))).toEqual([]);
  });

  test('every command has an example that begins with its words, and help shows it', async () => {
    for (const { words, example, isDefault } of REMOTE_COMMANDS) {
      const begins = isDefault === true ? words.split(' ').slice(0, -1).join(' ') : words;
      expect(example).toMatch(new RegExp(`^${begins}`));
    }
    expect((await run(['catalog', 'rm', '--help'])).stdout).toContain('steward catalog rm reports/Sales.Report');
  });
});

/** The fields of a request are not the fields of the answer, so that the shape of the answer is enough. */
function jsonProblems({ words, isOwnJson }: CommandStep, stdout: string): readonly string[] {
  if (isOwnJson === 'lines')
    return stdout
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{"'));
  const answer: unknown = JSON.parse(stdout);
  if (isOwnJson === true) return [];
  const { operation } = COMMAND_OF.get(words) ?? {};
  return operation === undefined ? [`${words} is unknown`] : problemsOf(NO_DOCUMENT, operation.answer, answer, words);
}

describe('[DEC100] every command on a real server', () => {
  test('each step succeeds, and what it prints with --json follows the schema of the operation', async () => {
    expect(await login('admin', ADMIN_PASSWORD, 'default')).toMatchObject({ code: 0, stderr: '' });
    for (const step of COMMAND_STEPS) {
      const args = await argumentsOfStep(step, demo);
      const done = await run([...step.words.split(' '), ...args, '--json']);
      expect({ words: step.words, code: done.code, stderr: done.code === (step.code ?? 0) ? '' : done.stderr }).toEqual(
        {
          words: step.words,
          code: step.code ?? 0,
          stderr: '',
        },
      );
      expect(jsonProblems(step, done.stdout)).toEqual([]);
    }
  });
});

/** The first step of each command, with made-up ids. Files are real, because a command reads them before it connects. */
function sampleArguments({ words }: { readonly words: string }): readonly string[] {
  const step = COMMAND_STEPS.find((one) => one.words === words);
  const without = new Set(['SLOW', 'FAST', 'FAULT', 'NO_FAULT']);
  return (step?.args ?? [])
    .filter((one) => !without.has(one))
    .map((one) => demo.files[one] ?? (one === 'RECEIVER' ? demo.receiver : one));
}

async function outcomes(
  commands: typeof REMOTE_COMMANDS,
  more: Partial<CommandLineOptions>,
): Promise<Readonly<Record<string, readonly [number, string]>>> {
  const found: Record<string, readonly [number, string]> = {};
  for (const row of commands) {
    const { code, stdout, stderr } = await run([...row.words.split(' '), ...sampleArguments(row)], more);
    expect(`${row.words}: ${stderr}`).toMatch(/: [A-Z`].+[.?]\n( {2}.+\n)*$/s);
    found[row.words] = [code, stdout];
  }
  return found;
}

function allWith(commands: typeof REMOTE_COMMANDS, code: number) {
  return Object.fromEntries(commands.map(({ words }) => [words, [code, '']]));
}

describe('[DEC100] failures give a clear line on standard error, an exit code, and nothing on standard output', () => {
  // The names of resources without {root} are the same for every user.
  const SERVER = () => ({ STEWARD_SERVER: demo.steward.url });

  test('no server: 8', async () => {
    const environment = { STEWARD_SERVER: 'http://127.0.0.1:1', STEWARD_TOKEN: 'x' };
    expect(await outcomes(REMOTE_COMMANDS, { environment })).toEqual(allWith(REMOTE_COMMANDS, 8));
  });

  test('a token that is not valid: 3', async () => {
    // The description of the SOAP interface is public, and logout is done if the token is not valid any more.
    const commands = REMOTE_COMMANDS.filter(({ words }) => words !== 'catalog wsdl' && words !== 'logout');
    const environment = { ...SERVER(), STEWARD_TOKEN: 'not a token' };
    expect(await outcomes(commands, { environment })).toEqual(allWith(commands, 3));
  });

  test('a role that is not sufficient: 4', async () => {
    const token = await demo.token();
    const password = 'a long enough password';
    await demo.client.must('/admin/security/users/create', { token, username: 'vic', role: 'viewer', password });
    expect(await login('vic', password, 'vic')).toMatchObject({ code: 0 });
    const commands = REMOTE_COMMANDS.filter(({ operation: { role, changeRole }, words }) =>
      changeRole === undefined || words.endsWith(' set') ? (changeRole ?? role) !== 'viewer' : role !== 'viewer',
    );
    expect(commands.length).toBeGreaterThan(80);
    const environment = { STEWARD_PROFILE: 'vic' };
    expect(await outcomes(commands, { environment })).toEqual(allWith(commands, 4));
  });

  test('read-only mode: 7, with the message of the administrator', async () => {
    const token = await demo.token();
    const mode = '/admin/mode';
    await demo.client.must(mode, { token, isReadOnly: 'true', message: 'Maintenance until five.' });
    const commands = REMOTE_COMMANDS.filter(
      ({ operation, words }) => operation.closedWhen === 'readOnly' && words !== 'webhooks settings show',
    );
    expect(commands.length).toBeGreaterThan(20);
    const environment = { ...SERVER(), STEWARD_TOKEN: token };
    expect(await outcomes(commands, { environment })).toEqual(allWith(commands, 7));
    const { stderr } = await run(['catalog', 'rm', 'a.B', '--yes'], { environment });
    expect(stderr).toContain('Maintenance until five.');
    await demo.client.must(mode, { token, isReadOnly: 'false' });
  });

  test('a file that exists already: 2, with what to do, and the file stays', async () => {
    const environment = { ...SERVER(), STEWARD_TOKEN: await demo.token() };
    const file = join(folder.path, 'audit.jsonl');
    writeFileSync(file, 'mine');
    const { code, stdout, stderr } = await run(['audit', 'export', '--output', file], { environment });
    expect([code, stdout, readFileSync(file, 'utf8')]).toEqual([2, '', 'mine']);
    expect(stderr).toBe(
      `--output: ${file} exists already, and no file is overwritten. Choose another name, or delete it first.\n`,
    );
  });

  test('a conflict: 6; a name that does not exist: 5; a field that is wrong: 2, with the field and what is right', async () => {
    const environment = { ...SERVER(), STEWARD_TOKEN: await demo.token() };
    const publish = (name: string, ...more: string[]) => run(['catalog', 'publish', name, ...more], { environment });
    expect(await publish('Twice.Report')).toMatchObject({ code: 0 });
    expect(await publish('Twice.Report')).toMatchObject({ code: 6, stdout: '' });
    expect(await run(['catalog', 'show', 'None.Report'], { environment })).toMatchObject({ code: 5, stdout: '' });
    expect(await publish('Odd.Report', '--access', 'secret')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('access: must be one of'),
    });
    expect(await publish('no type')).toMatchObject({ code: 2, stderr: expect.stringContaining('name.type') });
  });

  test('an unknown flag, a missing argument, and a file that is not there: 2', async () => {
    expect(await run(['catalog', 'ls', '--folder', 'x'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['catalog', 'show'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['uploads', 'add', '/nowhere/x'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('ENOENT'),
    });
  });

  test.each(['.', '..', '', 'a//b', 'a/../b'])(
    'the name %j is refused, so that it cannot lead to another operation',
    async (name) => {
      const environment = { ...SERVER(), STEWARD_TOKEN: await demo.token() };
      expect(await run(['catalog', 'rm', name, '--yes'], { environment })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('<service> must be a name'),
      });
    },
  );

  test('an address that is not that of Steward is named', async () => {
    expect(await run(['whoami', '--server', 'ftp://x'])).toMatchObject({ code: 2 });
    const other = createServer((_request, response) => response.writeHead(404).end('<h1>Not here</h1>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const environment = { STEWARD_SERVER: `http://127.0.0.1:${port}`, STEWARD_TOKEN: 'x' };
    const found = await run(['whoami'], { environment });
    other.close();
    expect(found).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Is the address right?'),
    });
  });
});

describe('[DEC100] profiles', () => {
  test('only the owner can read a profile, and a profile that others can read is refused', async () => {
    const first = await login('admin', ADMIN_PASSWORD, 'own');
    const signedIn = first.code === 0 ? first : await login('admin', SECOND_PASSWORD, 'own');
    expect(signedIn.code).toBe(0);
    const path = join(demo.home, '.config/steward/own.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('battery');
    chmodSync(path, 0o644);
    expect(await run(['whoami', '--profile', 'own'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`chmod 600 ${path}`),
    });
    chmodSync(path, 0o600);
    expect(await run(['whoami', '--profile', 'own', '--quiet'])).toEqual({ code: 0, stdout: 'admin\n', stderr: '' });
  });

  test('a profile has the absolute path of the certificates, also if a relative one was given', async () => {
    const file = join(folder.path, 'ca.pem');
    writeFileSync(file, '');
    const args = ['login', demo.steward.url, '--username', 'admin', '--password-file', '-', '--profile', 'certified'];
    const signIn = (password: string): Promise<Outcome> =>
      run([...args, '--ca-file', relative(process.cwd(), file)], { input: `${password}\n` });
    const codes = [(await signIn(ADMIN_PASSWORD)).code, (await signIn(SECOND_PASSWORD)).code];
    expect(codes).toContain(0);
    const profile = readFileSync(join(demo.home, '.config', 'steward', 'certified.json'), 'utf8');
    expect(JSON.parse(profile)).toMatchObject({ caFile: file });
  });

  test('the token of a profile is not sent to another server', async () => {
    const { code } = await run(['whoami', '--profile', 'own', '--server', `${demo.steward.url}/admin`]);
    expect(code).toBe(3);
  });

  test('logout revokes the token and removes the profile', async () => {
    const path = join(demo.home, '.config/steward/own.json');
    const { token } = JSON.parse(readFileSync(path, 'utf8')) as { readonly token: string };
    expect(await run(['logout', '--profile', 'own'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Signed out'),
    });
    expect(existsSync(path)).toBe(false);
    const environment = { STEWARD_SERVER: demo.steward.url, STEWARD_TOKEN: token };
    expect(await run(['whoami'], { environment })).toMatchObject({ code: 3 });
  });

  test('a profile that does not exist, and a wrong password, have different errors', async () => {
    expect(await run(['whoami', '--profile', 'none'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('steward login --profile none'),
    });
    expect((await login('admin', 'wrong', 'x')).code).not.toBe(0);
    expect(existsSync(join(demo.home, '.config/steward/x.json'))).toBe(false);
  });
});

describe('[DEC100] questions and output', () => {
  const signedIn = async () => ({ STEWARD_SERVER: demo.steward.url, STEWARD_TOKEN: await demo.token() });

  test('what is destroyed is asked for, and only y goes on', async () => {
    const environment = await signedIn();
    await run(['catalog', 'publish', 'Doomed.Report'], { environment });
    const remove = (typed: readonly string[] | undefined) =>
      run(['catalog', 'rm', 'Doomed.Report'], { environment, ...(typed !== undefined && { typed }) });
    expect(await remove(undefined)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await remove([''])).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was changed.') });
    expect(await remove(['y'])).toMatchObject({ code: 0, stdout: 'Deleted.\n' });
  });

  test('a secret is typed or read from a file, and is never an argument', async () => {
    const environment = await signedIn();
    const create = ['users', 'create', 'bob', 'viewer'];
    expect(await run([...create, '--password', 'x'], { environment })).toMatchObject({ code: 2 });
    expect(await run(create, { environment })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--password-file'),
    });
    expect(await run(create, { environment, typed: ['a long enough password'] })).toMatchObject({ code: 0 });
  });

  test('--quiet prints ids and secrets only', async () => {
    const environment = await signedIn();
    expect(await run(['users', 'ls', '--quiet'], { environment })).toMatchObject({
      stdout: expect.stringMatching(/^(\w+\n)+$/),
      stderr: '',
    });
    const { stdout } = await run(['tokens', 'create', 'q', 'viewer', '--quiet'], { environment });
    expect(
      await run(['whoami', '--quiet'], { environment: { ...environment, STEWARD_TOKEN: stdout.trim() } }),
    ).toMatchObject({
      code: 0,
    });
  });

  test('a stored text cannot move the cursor of a terminal', async () => {
    const environment = await signedIn();
    const events = await run(
      ['events', 'send', 'Twice.Report', '--event', 'x', '--payload', '{"text": "\\u001b[2J"}'],
      { environment },
    );
    expect(events.code).toBe(0);
    const path = join(demo.home, 'odd.lic');
    writeFileSync(path, 'x');
    const about = 'one\ttwo\r\nthree';
    expect(await run(['uploads', 'add', path, '--description', about], { environment })).toMatchObject({ code: 0 });
    const { stdout } = await run(['uploads', 'ls'], { environment, width: 200 });
    expect(stdout).toContain(String.raw`one\ttwo three`);
  });

  test.each([40, 60, 80, 200])('tables fit a terminal of %i columns', async (width) => {
    const environment = await signedIn();
    const commands = [
      ['audit'],
      ['tokens', 'ls'],
      ['jobs', 'ls'],
      ['upgrades', 'history'],
      ['users', 'ls'],
      ['deployment'],
    ];
    for (const words of commands) {
      const { stdout, code } = await run(words, { environment, width });
      expect(code).toBe(0);
      expect(Math.max(...stdout.split('\n').map(displayWidth))).toBeLessThanOrEqual(width);
    }
  });

  test('completion of each shell names the commands, and another shell is refused', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout, code } = await run(['completion', shell]);
      expect(code).toBe(0);
      expect(stdout).toContain('rotate-key');
      expect(stdout).toContain(shell === 'fish' ? '-l ca-file' : '--ca-file');
    }
    expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('Ctrl+C ends the command and not the job, and says so', async () => {
    const environment = await signedIn();
    const { jobs } = await demo.client.must('/admin/system/jobs', { token: environment.STEWARD_TOKEN });
    const id = String(jobs[0].id);
    const done = await run(['jobs', 'watch', id], { environment, stopped: Promise.resolve() });
    expect(done).toMatchObject({ code: 130, stderr: expect.stringContaining(`steward jobs watch ${id}`) });
  });
});
