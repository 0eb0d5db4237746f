import { describe, expect, test } from 'vitest';
import { SETTINGS, flagOf } from '../../src/service/settings/settings.ts';
import { runSteward } from '../support/server/stewardProcess.ts';
import { LOCAL_COMMANDS } from './localCommands.ts';

const SHARED = new Set(['--help', '--config', ...Object.keys(SETTINGS).map((key) => `--${flagOf(key)}`)]);

/** The flags that a text names at the beginnings of its rows. */
function flagsIn(text: string, row: RegExp): readonly string[] {
  return [...text.matchAll(row)].map(([, flag = '']) => flag).filter((flag) => !SHARED.has(flag));
}

describe.each(['doctor', 'prove', 'listen'])('[O4] docs/cli.md on steward %s', (command) => {
  const section = LOCAL_COMMANDS.split(/^## steward /m).find((one) => one.startsWith(`${command}\n`)) ?? '';

  test('the section has exactly the flags of --help', async () => {
    const { status, stdout } = await runSteward([command, '--help']);
    expect(status).toBe(0);
    const flags = flagsIn(stdout, /^ {2}(?:-\w, )?(--[\w-]+)/gm);
    expect(flags.length).toBeGreaterThan(2);
    expect(flagsIn(section, /^\| `(--[\w-]+)/gm).toSorted()).toEqual(flags.toSorted());
  });

  test('the section has every default of --help', async () => {
    const { stdout } = await runSteward([command, '--help']);
    const numbers = [...stdout.replaceAll(/\s+/g, ' ').matchAll(/; default (\d+)/g)].map(([, one]) => one);
    for (const number of numbers) expect(section).toContain(`Default: ${number}.`);
  });
});
