import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../../../test/support/run/project.ts';
import { STYLE } from './pageStyle.ts';

const CONSOLE = join(PROJECT, 'src', 'console', 'app');
const TOKENS = readFileSync(join(CONSOLE, 'tokens.css'), 'utf8');

/** The custom properties of a block of CSS. `#fff` is written as `#ffffff`. */
function colours(block: string): ReadonlyMap<string, string> {
  const found = [...block.matchAll(/--([\w-]+):\s*(#[\da-f]+)/g)].map(([, name = '', value = '']) => {
    const isShort = value.length === 4;
    return [name, isShort ? value.replaceAll(/[\da-f]/g, (digit) => digit + digit) : value] as const;
  });
  return new Map(found);
}

const [LIGHT = '', DARK = ''] = STYLE.split('prefers-color-scheme:dark');

test.each([
  ['light', LIGHT],
  ['dark', DARK],
])('the colours of the %s scheme are those of the console', (scheme, block) => {
  const [, tokens = ''] = TOKENS.split(`[data-mantine-color-scheme='${scheme}'] {`);
  const known = colours(tokens.slice(0, tokens.indexOf('}')));
  const own = colours(block);
  expect(own.size).toBeGreaterThan(5);
  for (const [name, value] of own)
    expect([name, value]).toEqual([name, known.get(name === 'text' ? 'mantine-color-text' : name)]);
});

test('a button has the accent colours of the console', () => {
  const theme = readFileSync(join(CONSOLE, 'theme.ts'), 'utf8');
  const [, button = '', hovered = ''] =
    /button\{[^}]*background:(#\w+)[^}]*\}button:hover\{background:(#\w+)\}/.exec(STYLE) ?? [];
  const accent = [...(/const accent[^[]*\[([^\]]*)\]/.exec(theme)?.[1] ?? '').matchAll(/#\w+/g)].map(([one]) => one);
  expect([button, hovered]).toEqual([accent[7], accent[8]]);
});
