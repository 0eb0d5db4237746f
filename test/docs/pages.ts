import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { SETTINGS, fileVariableOf, flagOf, variableOf } from '../../src/service/settings/settings.ts';
import type { Setting } from '../../src/service/settings/settings.ts';
import { MESSAGES } from '../../src/upgrades/journal/messages.ts';
import type { MessageRow } from '../../src/upgrades/journal/messageRow.ts';
import { PROJECT } from '../support/run/project.ts';

export interface Rule {
  readonly id: string;
  readonly text: string;
  readonly state: string;
}

export function rulesOf(spec: string): readonly Rule[] {
  return [...spec.matchAll(/^\| ([A-Z]{3}\d+) \| (.+) \| (\w+) \|$/gm)].map(([, id = '', text = '', state = '']) => ({
    id,
    text,
    state,
  }));
}

/** The rule ids in the titles of all tests. */
export function idsInTests(): readonly string[] {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts') && !path.endsWith('docs.test.ts'))
      .map((path) => join(PROJECT, folder, path)),
  );
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\[([A-Z]{3}\d+)\]/g)].map(([, id = '']) => id),
  );
}

/** Built rules without a test, tests of unknown rules, and rules with a wrong state. */
export function ruleProblems(rules: readonly Rule[], tested: readonly string[]): readonly string[] {
  const known = new Set(rules.map(({ id }) => id));
  const has = new Set(tested);
  const states = new Set(['built', 'part', 'later']);
  return [
    ...rules
      .filter(({ id }, n) => rules.findIndex((other) => other.id === id) !== n)
      .map(({ id }) => `${id} is there twice`),
    ...rules.filter(({ state }) => !states.has(state)).map(({ id, state }) => `${id} is in the unknown state ${state}`),
    ...rules
      .filter(({ id, state }) => state !== 'later' && !has.has(id))
      .map(({ id, state }) => `${id} is ${state} but has no test`),
    ...rules
      .filter(({ text, state }) => text.includes('Missing so far:') !== (state === 'part'))
      .map(({ id }) => `${id}: only a rule in part says what is missing`),
    ...[...has].filter((id) => !known.has(id)).map((id) => `a test names ${id}, but there is no such rule`),
  ];
}

function defaultOf({ defaultValue, defaultText }: Setting): string {
  return defaultText ?? `\`${String(defaultValue)}\``;
}

/** Writes docs/configuration.md from the table of settings. */
export function configurationPage(): string {
  const rows = Object.entries(SETTINGS).map(
    ([key, row]: [string, Setting]) =>
      `| \`${variableOf(key)}\` | ${defaultOf(row)} | ${row.description}${row.isSecret === true ? ` Never printed. Or \`${fileVariableOf(key)}\`: a file that contains it.` : ''} |`,
  );
  return `# Configuration

Steward reads its settings once, at start. Each setting has one name in three forms: \`STEWARD_PUBLIC_URL\` as an environment
variable, \`--public-url\` as a flag, and \`public-url\` as a key in a YAML file. \`--config FILE\` or \`STEWARD_CONFIG\` gives the path
of that file. Flags take precedence over the environment, and the environment over the file.

If a setting is invalid, Steward does not start. It reports all errors at once and never prints secrets.

A setting that is a secret can also come from a file, as Docker and Kubernetes provide secrets: set the variable with \`_FILE\` at its end
to the path of the file, such as \`STEWARD_STORE_FILE=/run/secrets/store\`. The content of the file is the value; one newline at its end is
dropped. Set the variable or the one with \`_FILE\`, not both. Other users must not be able to read the file
([operations.md](operations.md#secrets-in-files)).

| setting | default | meaning |
|---|---|---|
${rows.join('\n')}

Example of a file:

\`\`\`yaml
host: 0.0.0.0
public-url: https://steward.example
store: postgres://steward@db/steward
trusted-proxies: [10.0.0.0/8]
\`\`\`

\`steward serve --help\` prints the same list with the flags (\`--${flagOf('publicUrl')}\` and so on).

One flag of \`serve\` is not a setting: \`--new\` begins with an empty store although the data folder has had one
([operations.md](operations.md#if-the-store-has-a-problem)). It is refused on a store with data, so it cannot stay in a unit file.
`;
}

const OWN_BLOCK = 2900;

/** A row of a table; an unescaped bar would end its column, and a line break the table. */
function messageRow({ code, step, when, text }: MessageRow): string {
  const cells = [text, step, when].map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', '<br>'));
  return `| ${code} | ${cells.join(' | ')} |`;
}

/** Steward's own codes: one from before the block, and the block. */
function isOurs({ code }: MessageRow): boolean {
  return code === MESSAGES.rollbackStarted.code || code >= OWN_BLOCK;
}

function messageTable(rows: readonly MessageRow[]): string {
  return `| code | text | step | when |\n|---|---|---|---|\n${rows.map(messageRow).join('\n')}`;
}

/** Writes docs/messages.md from the table of messages. */
export function messagesPage(): string {
  const rows: readonly MessageRow[] = Object.values(MESSAGES);
  return `# Messages of an upgrade

A job writes messages. You read them at \`{root}/system/upgrades\` and \`{root}/system/jobs/<id>/messages\`. Each message has a code, a
text and a time. Programs should use the code: a code keeps its meaning, but the wording of a text may change in a later version.
If something goes wrong, see [troubleshooting.md](troubleshooting.md).

A name in braces stands for a value that depends on the job. \`{simulated}\` is empty unless the deployment is simulated. \`{lines}\` is
the last lines that a hook or a workload wrote, at most ten.

A code may repeat in one job: workloads are updated in parallel, and a retried job runs a step again.

## Messages of the interface, in the order of a job

${messageTable(rows.filter((row) => !isOurs(row)))}

## Messages of Steward

Steward's own codes are 2072 and the block 2900 to 2999. A job that did not succeed ends with 2990, 2991 or 2992. The messages
before it give the reason: 2950 and 2951, 2935 if something could not be undone, or 2903 if a person cancelled the job.

${messageTable(rows.filter(isOurs))}
`;
}

/** The names of messages that no code of the area sends. */
export function unsentMessages(names: readonly string[]): readonly string[] {
  const folder = join(PROJECT, 'src/upgrades');
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'journal/messages.ts')
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  return names.filter((name) => !source.includes(`'${name}'`));
}

/** The anchors of the headings of a page, as GitHub makes them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const headings = page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function leadsSomewhere(page: string, target: string, anchor: string | undefined): boolean {
  const path = target === '' ? join(PROJECT, page) : join(PROJECT, dirname(page), target);
  if (!existsSync(path)) return false;
  return anchor === undefined || !path.endsWith('.md') || anchorsOf(readFileSync(path, 'utf8')).has(anchor);
}

/** Links of the pages that lead to no file or to no heading. */
export function brokenLinks(): readonly string[] {
  const pages = [...readdirSync(PROJECT), ...readdirSync(join(PROJECT, 'docs')).map((name) => `docs/${name}`)].filter(
    (name) => name.endsWith('.md'),
  );
  return pages.flatMap((page) =>
    [...readFileSync(join(PROJECT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      .filter(([, target = '', anchor]) => !leadsSomewhere(page, target, anchor))
      .map(([link]) => `${page} has the link ${link}`),
  );
}

/**
 * The paths in backticks of a page: names of source files and pages, and everything with a slash that is not a URL path or
 * a package.
 */
function pathsOf(page: string): readonly string[] {
  return [...page.matchAll(/`([\w.][\w./-]*)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => name.includes('/') || /\.(ts|mjs|md)$/.test(name));
}

/**
 * Paths in backticks that lead to no file or folder. A path may leave out the folders before it, as `run/session.ts` does. For
 * "`name` in `file.ts`", also reports a file that does not contain the name.
 */
export function deadPaths(page: string, files: ReadonlyMap<string, () => string>): readonly string[] {
  function filesAt(name: string): readonly string[] {
    const path = name.replace(/\/$/, '');
    return [...files.keys()].filter((file) => `/${file}`.endsWith(`/${path}`) || `/${file}`.includes(`/${path}/`));
  }
  const examples = [...page.matchAll(/`(\w+)` in\s+`([\w./-]+\.ts)`/g)];
  return [
    ...pathsOf(page).filter((name) => filesAt(name).length === 0),
    ...examples
      .filter(([, name = '', file = '']) => !filesAt(file).some((path) => files.get(path)?.().includes(name)))
      .map(([, name = '', file = '']) => `${name} in ${file}`),
  ];
}

/** All files of the project that a page may name, by their path, with their text. */
export function projectFiles(): ReadonlyMap<string, () => string> {
  const folders = ['src', 'test', 'docs', 'bench', 'scripts', 'deploy'];
  const paths = folders.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(PROJECT, join(entry.parentPath, entry.name)).replaceAll(sep, '/')),
  );
  return new Map(paths.map((path) => [path, () => readFileSync(join(PROJECT, path), 'utf8')]));
}
