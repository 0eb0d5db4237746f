import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SETTINGS, flagOf, variableOf } from '../../src/service/settings/settings.ts';
import type { Setting } from '../../src/service/settings/settings.ts';
import { MESSAGES } from '../../src/upgrades/journal/messages.ts';
import type { MessageRow } from '../../src/upgrades/journal/messages.ts';
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

/** The ids in the titles of all tests. */
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

/** Rules that say they are built but have no test, tests of rules that there are not, and rules in disorder. */
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

function defaultOf({ byDefault, defaultIs }: Setting): string {
  return defaultIs ?? `\`${String(byDefault)}\``;
}

/** docs/configuration.md, from the table that is read at the start. */
export function configurationPage(): string {
  const rows = Object.entries(SETTINGS).map(
    ([key, row]: [string, Setting]) =>
      `| \`${variableOf(key)}\` | ${defaultOf(row)} | ${row.about}${row.isSecret === true ? ' Never printed.' : ''} |`,
  );
  return `# Configuration

Steward reads its settings once, when it starts. Each has one name in three spellings: \`STEWARD_PUBLIC_URL\` in the
environment, \`--public-url\` as a flag, \`public-url\` in a YAML file that \`--config FILE\` or \`STEWARD_CONFIG\` names.
Flags win over the environment, which wins over the file. All mistakes are reported together, and Steward does not start
with any; secrets are never printed.

| setting | default | meaning |
|---|---|---|
${rows.join('\n')}

A file looks like this:

\`\`\`yaml
host: 0.0.0.0
public-url: https://steward.example
store: postgres://steward@db/steward
trusted-proxies: [10.0.0.0/8]
\`\`\`

Run \`steward serve --help\` for the same list with the flags (\`--${flagOf('publicUrl')}\` and so on).
`;
}

const OWN_BLOCK = 2900;

/** A row of a table; a bar would end its column. */
function messageRow({ code, step, when, text }: MessageRow): string {
  return `| ${code} | ${[text, step, when].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Steward's own codes: one from before the block, and the block. */
function isOurs({ code }: MessageRow): boolean {
  return code === MESSAGES.rollbackStarted.code || code >= OWN_BLOCK;
}

function messageTable(rows: readonly MessageRow[]): string {
  return `| code | text | step | when |\n|---|---|---|---|\n${rows.map(messageRow).join('\n')}`;
}

/** docs/messages.md, from the table that the messages are made of. */
export function messagesPage(): string {
  const rows: readonly MessageRow[] = Object.values(MESSAGES);
  return `# Messages of an upgrade

What a job says, at \`{root}/system/upgrades\` and \`{root}/system/jobs/<id>/messages\`: each message has its code, its text and
its time. Act on the code: a code keeps its meaning, a text may be worded better one day. Braces stand for what differs from job
to job. \`{simulated}\` is empty unless the deployment is simulated; \`{lines}\` are the last lines that a hook or a workload wrote,
at most ten. [upgrades.md](upgrades.md) says what to do when something goes wrong.

Codes may repeat: several workloads are updated at once, and a job that is retried goes through a step again.

## Of the interface, in the order of a job

${messageTable(rows.filter((row) => !isOurs(row)))}

## Our own

2072 and the block 2900 to 2999. A job that did not succeed ends with one of 2990 to 2992, and the reason stands in 2950 and 2951
(or 2935) before it.

${messageTable(rows.filter(isOurs))}
`;
}

/** The names of messages that nothing in the area sends. */
export function unsentMessages(names: readonly string[]): readonly string[] {
  const folder = join(PROJECT, 'src/upgrades');
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  return names.filter((name) => !new RegExp(`\\bmessage\\([^,]*'${name}'`).test(source));
}

/** Links of the project's pages that lead to no file. */
export function brokenLinks(): readonly string[] {
  const pages = [...readdirSync(PROJECT), ...readdirSync(join(PROJECT, 'docs')).map((name) => `docs/${name}`)].filter(
    (name) => name.endsWith('.md'),
  );
  return pages.flatMap((page) =>
    [...readFileSync(join(PROJECT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)(#[^)]*)?\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(PROJECT, dirname(page), target)))
      .map((target) => `${page} links to ${target}`),
  );
}
