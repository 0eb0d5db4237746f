import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { runCommand, temporaryFolder } from '../support/run/runFolder.ts';

const COPIED = [
  'src',
  'test',
  'bench',
  'deploy',
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

test('violations that are planted in a copy of the project turn the guards red, each by its name', async ({
  onTestFinished,
}) => {
  const copy = temporaryFolder();
  onTestFinished(() => copy.remove());
  for (const file of COPIED) cpSync(join(PROJECT, file), join(copy.path, file), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(copy.path, 'node_modules'));

  function edit(file: string, change: (text: string) => string): void {
    const path = join(copy.path, file);
    const before = readFileSync(path, 'utf8');
    const after = change(before);
    expect(after).not.toBe(before);
    writeFileSync(path, after);
  }
  appendFileSync(
    join(copy.path, 'src/catalog/catalog.ts'),
    "\nimport { createAccess } from '../access/access.ts';\nexport const planted = createAccess;\n",
  );
  appendFileSync(
    join(copy.path, 'src/upgrades/values/omission.ts'),
    "\nimport { makePlan } from '../plan/makePlan.ts';\nexport const planted = makePlan;\n",
  );
  edit('src/service/settings/settings.ts', (text) =>
    text.replace(
      '  demo: setting(',
      "  planted: setting({ read: boolean.read, defaultValue: false }, 'Planted.'),\n  demo: setting(",
    ),
  );
  edit('docs/spec.md', (text) => text.replace(/^(\| STO3 .*)$/m, '$1\n| STO99 | A planted rule. | built |'));
  writeFileSync(
    join(copy.path, 'src/catalog/planting.ts'),
    `/** Nobody waits. */\nexport function planted(): void {\n${'  planted();\n'.repeat(60)}}\n`,
  );

  const { status, stdout, stderr } = await runCommand(process.execPath, ['scripts/guards.mjs'], {
    cwd: copy.path,
    env: { PATH: process.env['PATH'], CI: 'true', NO_COLOR: '1' },
  });
  const output = (stdout + stderr).replaceAll('\\"', '"');
  expect(status).toBe(1);
  for (const problem of [
    'catalog may not import access',
    'circle of folders in upgrades: ',
    'upgrades/values/omission.ts may not import upgrades/plan/makePlan.ts',
    'STEWARD_PLANTED',
    'STO99 is built but has no test',
    'src/catalog/planting.ts:2 planted 62 lines',
    'src/catalog/planting.ts: "planting" is a gerund',
    'src/catalog/planting.ts:1 "Nobody"',
  ])
    expect(output).toContain(problem);
});
