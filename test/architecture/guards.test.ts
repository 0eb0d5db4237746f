import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';

let copy: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  copy = temporaryFolder();
  const files = [
    'src',
    'test',
    'docs',
    'scripts',
    'package.json',
    'vitest.config.ts',
    'tsconfig.json',
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'LICENSE',
  ];
  for (const file of files) cpSync(join(PROJECT, file), join(copy.path, file), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(copy.path, 'node_modules'));
});
afterEach(() => copy.remove());

/** The two guards of `npm run check`, run as it runs them. */
function check(): { readonly status: number | null; readonly output: string } {
  const vitest = join(PROJECT, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { PATH: process.env['PATH'] ?? '', CI: 'true', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', 'test/architecture/imports.test.ts', 'test/docs/docs.test.ts'],
    { cwd: copy.path, encoding: 'utf8', env },
  );
  return { status, output: stdout + stderr };
}

function edit(file: string, change: (text: string) => string): void {
  const path = join(copy.path, file);
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

test('the guards are green on what is here', () => {
  expect(check()).toMatchObject({ status: 0 });
});

test('a forbidden import turns them red', () => {
  appendFileSync(
    join(copy.path, 'src/catalog/catalog.ts'),
    "\nimport { createAccess } from '../access/access.ts';\nexport const planted = createAccess;\n",
  );
  expect(check()).toMatchObject({ status: 1, output: expect.stringContaining('catalog may not import access') });
});

test('an undocumented setting turns them red', () => {
  edit('src/service/settings/settings.ts', (text) =>
    text.replace(
      '  demo: setting({',
      "  planted: setting({ read: boolean.read, defaultValue: false, description: 'Planted.' }),\n  demo: setting({",
    ),
  );
  expect(check()).toMatchObject({ status: 1, output: expect.stringContaining('STEWARD_PLANTED') });
});

test('a rule without a test turns them red', () => {
  edit('docs/spec.md', (text) => text.replace(/^(\| STO3 .*)$/m, '$1\n| STO99 | A planted rule. | built |'));
  expect(check()).toMatchObject({ status: 1, output: expect.stringContaining('STO99 is built but has no test') });
});
