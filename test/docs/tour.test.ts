import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { temporaryFolder } from '../support/store/stores.ts';

interface Step {
  readonly command: string;
  readonly prints: string;
}

const canTour = inject('canTour');
const folder = temporaryFolder();
const env = { ...process.env, NO_COLOR: '1', STEWARD_LOG_LEVEL: 'warn' };
let server: ChildProcess | undefined;

/** The commands of the page and what stands under each; `> ` continues a command. */
function steps(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const lines = text.split('\n');
        const end = lines.findIndex((line, n) => n > 0 && !line.startsWith('> '));
        const command = lines.slice(0, end).map((line, n) => (n === 0 ? line : line.slice(2)));
        return { command: command.join('\n'), prints: lines.slice(end).join('\n') };
      }),
  );
}

/** A line that is `…` is any lines; `…` within a line is anything but a line's end. */
function pattern(prints: string): RegExp {
  const escaped = prints.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/^…\n/gm, '[\\s\\S]*').replaceAll('…', '[^\\n]*')}$`);
}

async function start(step: Step): Promise<string> {
  server = spawn('bash', ['-c', step.command], {
    cwd: folder.path,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let output = '';
  return new Promise((resolve, reject) => {
    server?.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Stop with')) resolve(output);
    });
    server?.on('exit', (code) => reject(new Error(`it ended with ${code}: ${output}`)));
  });
}

afterAll(() => {
  if (server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
  folder.remove();
});

/** The project as it is, with a data folder of its own. */
function layOut(): void {
  for (const name of readdirSync(PROJECT)) {
    if (name !== 'data' && name !== '.git') symlinkSync(join(PROJECT, name), join(folder.path, name));
  }
}

describe.skipIf(!canTour)(`docs/tour.md${canTour ? '' : ' (left out: port 6080 is in use)'}`, () => {
  test('every command prints what stands under it', async () => {
    const [first, ...rest] = steps(readFileSync(join(PROJECT, 'docs/tour.md'), 'utf8'));
    layOut();
    if (first === undefined) throw new Error('the tour has no commands');
    expect(await start(first)).toMatch(pattern(first.prints));
    // One shell, as a person has it, so that variables and folders stay from command to command.
    const mark = '=== next ===';
    const script = rest.map(({ command }) => `${command}\necho '${mark}'`).join('\n');
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder.path, env, encoding: 'utf8' });
    const printed = stdout.split(`${mark}\n`);
    expect(stderr).toBe('');
    expect(rest.length).toBeGreaterThan(12);
    for (const [n, { command, prints }] of rest.entries()) {
      expect(`$ ${command}\n${printed[n]?.trimEnd()}\n`).toMatch(pattern(`$ ${command}\n${prints.trimEnd()}\n`));
    }
  });
});
