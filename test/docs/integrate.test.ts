import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { runCommand, temporaryFolder } from '../support/run/runFolder.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { ADMIN_PASSWORD, startSteward } from '../support/server/stewardProcess.ts';

interface Example {
  readonly title: string;
  readonly language: string;
  readonly code: string;
  readonly prints: string;
}

/** Each example is a block of code, followed by a block with what it prints. */
function examplesOf(page: string): readonly Example[] {
  const blocks = page.matchAll(/```(bash|js|python|php)\n([\s\S]*?)```\n+```text\n([\s\S]*?)```/g);
  return [...blocks].map(([, language = '', code = '', prints = ''], n) => ({
    title: `${n + 1} (${language})`,
    language,
    code,
    prints,
  }));
}

const RUNNERS: Readonly<Record<string, { readonly command: string; readonly file: string; readonly isNode?: true }>> = {
  bash: { command: '/bin/bash', file: 'example.sh' },
  js: { command: process.execPath, file: 'example.mjs', isNode: true },
  python: { command: '/usr/bin/python3', file: 'example.py' },
  php: { command: '/usr/bin/php', file: 'example.php' },
};

const LANGUAGES = ['bash', 'js', 'python', 'php'];
const EXAMPLES = examplesOf(readFileSync(join(PROJECT, 'docs/integrate.md'), 'utf8'));
const hasClients = inject('hasSoapClients');
const debian = hasClients ? '' : ' (those of Python and PHP are left out: python3-zeep or php-soap is not installed)';

let folder: TemporaryFolder;
let inProject: string;
let steward: StewardProcess;
beforeAll(async () => {
  folder = temporaryFolder();
  mkdirSync(join(PROJECT, 'build'), { recursive: true });
  inProject = mkdtempSync(join(PROJECT, 'build', 'examples-'));
  steward = await startSteward({ data: join(folder.path, 'data'), args: ['--demo', '--demo-receiver-port', '0'] });
});
afterAll(async () => {
  await steward.end('SIGTERM');
  folder.remove();
  rmSync(inProject, { recursive: true, force: true });
});

test('the page has an example of each language for SOAP and for REST, and a receiver', () => {
  expect(EXAMPLES.map(({ language }) => language)).toEqual([...LANGUAGES, ...LANGUAGES, 'js']);
});

test.each(EXAMPLES.filter(({ language }) => hasClients || language === 'js' || language === 'bash'))(
  `example $title of docs/integrate.md prints what the page says${debian}`,
  async ({ language, code, prints }) => {
    const runner = RUNNERS[language];
    if (runner === undefined) throw new Error(`${language} is unknown`);
    // Packages are found from the folders of the project.
    const home = runner.isNode === true ? inProject : folder.path;
    const at = join(home, runner.file);
    writeFileSync(at, code);
    const env = { PATH: process.env['PATH'], STEWARD: steward.url, PASSWORD: ADMIN_PASSWORD, PYTHONWARNINGS: 'ignore' };
    const { stdout, stderr } = await runCommand(runner.command, [at], { env });
    expect(`${stdout}${stderr}`.trim()).toBe(prints.trim());
  },
);
