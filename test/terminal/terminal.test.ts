import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { REMOTE_COMMANDS } from '../../src/cli/commands/register.ts';
import { displayWidth } from '../../src/cli/output/displayWidth.ts';
import { COMMAND_STEPS, argumentsOfStep } from '../support/cli/commandSteps.ts';
import { runCommandLine } from '../support/cli/commandLine.ts';
import type { DemoServer } from '../support/cli/demoServer.ts';
import { startDemo } from '../support/cli/demoServer.ts';
import type { Screen, TerminalOptions } from '../support/cli/terminal.ts';
import { runOnTerminal } from '../support/cli/terminal.ts';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { ADMIN_PASSWORD, startSteward } from '../support/server/stewardProcess.ts';

const WIDTHS = [40, 60, 80, 200];
const WIDTH_OF_ALL = 80;
const TABLES = new Set(REMOTE_COMMANDS.filter(({ view }) => view.kind === 'table').map(({ words }) => words));

let folder: TemporaryFolder;
let demo: DemoServer;
beforeEach(async () => {
  folder = temporaryFolder();
  demo = await startDemo(folder.path, 8000);
});
afterEach(async () => {
  await demo.steward.end('SIGKILL');
  folder.remove();
});

function run(args: readonly string[], options: Partial<TerminalOptions> = {}) {
  return runOnTerminal(args, { home: demo.home, width: 80, ...options });
}

/** Starts a process on a terminal for every command at one width, and for tables at all widths; other commands run in this process. */
async function runStep(args: readonly string[], width: number, isTable: boolean): Promise<Screen> {
  if (isTable || width === WIDTH_OF_ALL) return run(args, { width });
  const { code, stdout, stderr } = await runCommandLine(args, { home: demo.home, width });
  return { code, lines: `${stdout}${stderr}`.split('\n') };
}

async function login(): Promise<void> {
  const { code, lines } = await run(['login', demo.steward.url, '--username', 'admin'], { typed: ADMIN_PASSWORD });
  expect({ code, lines }).toMatchObject({
    code: 0,
    lines: expect.arrayContaining([expect.stringMatching(/^Signed in/)]),
  });
  // The password is not shown.
  expect(lines.join('\n')).not.toContain(ADMIN_PASSWORD);
}

describe('[DEC100] every command on a terminal', () => {
  test.each(WIDTHS)('each step succeeds on a terminal of %i columns, and its tables fit', async (width) => {
    await login();
    for (const step of COMMAND_STEPS) {
      const args = await argumentsOfStep(step, demo);
      const { code, lines } = await runStep([...step.words.split(' '), ...args], width, TABLES.has(step.words));
      expect({ words: step.words, code, lines: code === (step.code ?? 0) ? [] : lines }).toEqual({
        words: step.words,
        code: step.code ?? 0,
        lines: [],
      });
      const widest = TABLES.has(step.words) ? Math.max(...lines.map(displayWidth)) : 0;
      expect(widest).toBeLessThanOrEqual(width);
    }
  });

  test('a question is answered on the terminal', async () => {
    await login();
    const args = ['catalog', 'rm', 'Overview.Map'];
    expect(await run(args, { typed: 'n' })).toMatchObject({ code: 1 });
    expect(await run(args, { typed: 'y' })).toMatchObject({ code: 0 });
  });

  test('watch shows a bar, survives a kill -9 of the server, and ends with the outcome of the job', async () => {
    await login();
    const token = await demo.token();
    await demo.client.must('/admin/demo/settings', { token, rolloutMs: '2000' });
    const port = new URL(demo.steward.url).port;
    const watched = run(['upgrades', 'start', 'pat_10.9.1.1842', '--yes'], { width: 120 });
    await expect
      .poll(async () => (await demo.client.must('/admin/system/upgrades', { token })).job?.progress.done ?? 0, {
        timeout: 60_000,
      })
      .toBeGreaterThan(1);
    await demo.steward.end('SIGKILL');
    const again = await startSteward({
      data: `${folder.path}/data`,
      args: ['--demo', '--demo-receiver-port', '0', '--port', port],
    });
    const { code, lines } = await watched;
    await again.end('SIGKILL');
    const text = lines.join('\n');
    expect(text).toContain('The connection to the server is lost.');
    expect(text).toContain('The connection is back.');
    expect(text).toMatch(/█+░* \d+ % \(\d+ of 12/);
    expect(lines.filter((line) => line.includes('  2012  '))).toHaveLength(1);
    expect(code).toBe(0);
  });
});
