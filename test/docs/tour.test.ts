import { readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { spawnChild, temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import { openShell } from '../support/run/shell.ts';
import type { Shell } from '../support/run/shell.ts';

interface Step {
  readonly command: string;
  readonly prints: string;
}

const PORTS = { server: '6080', receiver: '6081' };
const folder = temporaryFolder();
/** The page names fixed ports for its reader; the test takes free ones. */
const env = {
  ...process.env,
  NO_COLOR: '1',
  STEWARD_LOG_LEVEL: 'warn',
  STEWARD_PORT: '0',
  STEWARD_DEMO_RECEIVER_PORT: '0',
};
let shell: Shell;

beforeAll(() => {
  for (const name of readdirSync(PROJECT)) {
    if (name !== 'data' && name !== '.git') symlinkSync(join(PROJECT, name), join(folder.path, name));
  }
  shell = openShell({ cwd: folder.path, env });
});
afterAll(async () => {
  await shell.close();
  endServer();
  folder.remove();
});

/** The commands of the page and what is printed below each; `> ` continues a command. */
function stepsOf(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const lines = text.split('\n');
        const end = lines.findIndex((line, n) => n > 0 && !line.startsWith('> '));
        const command = lines.slice(0, end).map((line, n) => (n === 0 ? line : line.slice(2)));
        return { command: command.join('\n'), prints: lines.slice(end).join('\n').trimEnd() };
      }),
  );
}

/** A line `…` matches any lines; `…` within a line matches anything up to the end of the line. */
function patternOf(prints: string): RegExp {
  const escaped = prints.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${escaped.replace(/^…\n/gm, '[\\s\\S]*').replace(/\n…$/, '[\\s\\S]*').replaceAll('…', '[^\\n]*')}$`,
  );
}

let endServer = (): void => undefined;

/** Runs the first command of the page, which does not end, and answers what it prints until it is ready. */
async function startServer(command: string): Promise<string> {
  const server = spawnChild('bash', ['-c', command], { cwd: folder.path, env, isGroup: true });
  endServer = () => process.kill(-(server.pid ?? Number.NaN), 'SIGKILL');
  let output = '';
  server.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  server.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(`the server is ready, after ${command}`, () => {
    if (server.exitCode !== null) throw new Error(`${command} ended with ${server.exitCode}: ${output}`);
    return output.includes('Stop with');
  });
  return output.trimEnd();
}

function portIn(output: string, line: string): string {
  return new RegExp(`${line} +http://127\\.0\\.0\\.1:(\\d+)`).exec(output)?.[1] ?? `no port after ${line}`;
}

test('every command of docs/tour.md prints what the page shows below it', async () => {
  const page = readFileSync(join(PROJECT, 'docs/tour.md'), 'utf8');
  const [first] = stepsOf(page);
  if (first === undefined) throw new Error('The tour has no commands.');
  const started = await startServer(first.command);
  const here = page
    .replaceAll(`127.0.0.1:${PORTS.server}`, `127.0.0.1:${portIn(started, 'Catalog')}`)
    .replaceAll(`127.0.0.1:${PORTS.receiver}`, `127.0.0.1:${portIn(started, 'Demo receiver')}`);
  const [start, ...rest] = stepsOf(here);
  expect(started).toMatch(patternOf(start?.prints ?? ''));
  expect(rest.length).toBeGreaterThan(12);
  for (const { command, prints } of rest) {
    const [, patient] = /^sleep \d+; ([\s\S]*)$/.exec(command) ?? [];
    const wanted = patternOf(prints);
    let printed = await shell.run(patient ?? command);
    // The reader waits for a second; on a busy machine that may be too short.
    if (patient !== undefined && !wanted.test(printed.stdout))
      await until(`this prints what the page shows: ${patient}\n${prints}`, async () => {
        printed = await shell.run(patient);
        return wanted.test(printed.stdout);
      });
    expect(`$ ${command}\n${printed.stdout}`).toMatch(patternOf(`$ ${command}\n${prints}`));
    expect(printed.stderr).toBe('');
  }
});
