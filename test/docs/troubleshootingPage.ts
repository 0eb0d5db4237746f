// Writes docs/troubleshooting.md from the tables of messages and of errors, and from the help for each of them.
import type { ErrorCode } from '../../src/foundation/errors.ts';
import { EXIT, exitOf } from '../../src/cli/remote/exitCodes.ts';
import type { MessageName } from '../../src/upgrades/journal/messages.ts';
import { MESSAGES } from '../../src/upgrades/journal/messages.ts';
import type { MessageRow } from '../../src/upgrades/journal/messageRow.ts';
import { STATUSES } from '../../src/wire/answers/errorBody.ts';
import { ERROR_HELP, MESSAGE_HELP, STEP_HELP } from './codeHelp.ts';

const NAMES = Object.keys(MESSAGES) as readonly MessageName[];
const ROWS: readonly MessageRow[] = Object.values(MESSAGES);

function section(name: MessageName): readonly string[] {
  const help = MESSAGE_HELP[name];
  if (help === undefined) return [];
  const { code, text } = MESSAGES[name];
  return [
    `### ${code}

> ${text.replaceAll('\n', '\\\n> ')}

- **Means:** ${help.means}
- **Look at:** ${help.lookAt}
- **Do:** ${help.act}
`,
  ];
}

function stepRow(step: string): string {
  const codes = ROWS.filter((row) => row.step === step).map(({ code }) => code);
  const { does, lookAt } = STEP_HELP[step] ?? { does: '', lookAt: '' };
  return `| \`${step}\` | ${codes.join(', ')} | ${does} | ${lookAt} |`;
}

function errorRow(name: ErrorCode): string {
  const { http, code } = STATUSES[name];
  const { means, act } = ERROR_HELP[name];
  return `| ${http} | ${code} | ${EXIT[exitOf(name)].code} | ${means} | ${act} |`;
}

/** Steps of messages that no row of the page explains, and rows of steps that no message has. */
export function unexplainedSteps(rows: readonly MessageRow[]): readonly string[] {
  const steps = [...new Set(rows.map(({ step }) => step))];
  const explained = Object.keys(STEP_HELP);
  return [...steps.filter((step) => !explained.includes(step)), ...explained.filter((step) => !steps.includes(step))];
}

/** Writes docs/troubleshooting.md. */
export function troubleshootingPage(): string {
  const sections = NAMES.flatMap(section);
  const errors = (Object.keys(STATUSES) as ErrorCode[]).toSorted((a, b) => STATUSES[a].code - STATUSES[b].code);
  return `# Troubleshooting

A message or an error has the same code in the console, on the command line and over HTTP. Find the code here.

| you have | go to |
|---|---|
| a message of an upgrade, with a code from 2010 to 2999 | [messages that need you](#messages-that-need-you), or [where a job stands](#where-a-job-stands) |
| a request that was refused | [errors of a request](#errors-of-a-request) |
| a server that does not start, or has ended | [exit codes](operations.md#start-and-stop), [the store](operations.md#if-the-store-has-a-problem) |
| an alert | [alerts](operations.md#alerts) |
| a webhook that gets nothing | [success and retries](webhooks.md#success-and-retries), [reactivate a webhook](webhooks.md#reactivate-a-webhook) |
| a check that failed in a plan, or the reason in message 2950 | [upgrades](upgrades.md#troubleshooting), [a cluster](kubernetes.md#when-something-fails) |

\`steward doctor\` checks the settings, store, clock, disk, certificates, receivers and cluster of a machine, and says what to do. \`steward
doctor --bundle FILE\` writes what a supporter needs, without secrets.

## Messages that need you

\`{root}/system/upgrades\` has the messages of the newest job, and \`{root}/system/jobs/<id>/messages\` those of any other. In a text, a name in
braces stands for a value of the job. \`retry\`, \`resume\` and \`cancel\` are operations of \`{root}/system/jobs/<id>\`, buttons of the console, and
commands (\`steward jobs\`).

${sections.join('\n')}
## Where a job stands

All other messages report progress. If one of them is the last for longer than you expect, its code tells the step. If a step waits
for something, message 2960 reports it after 10 seconds and then once a minute. If not even 2960 comes, no server runs the job: look at the
replicas. [messages.md](messages.md) has the texts.

| step | codes | what Steward does | look at |
|---|---|---|---|
${Object.keys(STEP_HELP).map(stepRow).join('\n')}

## Errors of a request

An error has \`error.code\`, \`error.message\` and, for each problem, a line in \`error.details\`. The \`X-Request-Id\` of the response is also in the
log. The third column is the exit code of \`steward\`.

| HTTP status | \`error.code\` | exit code | meaning | what to do |
|---|---|---|---|---|
${errors.map(errorRow).join('\n')}

SOAP reports errors as faults with HTTP status 500, except 413 and 415. Below \`/compat/admin\`, errors have HTTP status 200 and the same body.

An answer without \`error.code\` is not Steward's own: a proxy before it refuses a large body (413), or gets no answer (502, 503, 504).
[proxies.md](proxies.md#if-the-proxy-answers-itself) names the settings.
`;
}
