// Writes docs/cli.md from the table of commands.
import { REMOTE_COMMANDS, imperative } from '../../src/cli/commands/register.ts';
import type { RemoteCommand } from '../../src/cli/commands/remoteCommand.ts';
import { nameOf } from '../../src/cli/commands/remoteCommand.ts';
import { argumentsOf } from '../../src/cli/commands/runRemote.ts';
import { STALL_LIMITS_MS } from '../../src/cli/prove/stall.ts';
import { EXIT } from '../../src/cli/remote/exitCodes.ts';
import { LOCAL_COMMANDS } from './localCommands.ts';

function usage(row: RemoteCommand): string {
  const names = argumentsOf(row).map((one) =>
    row.optional?.includes(one) === true ? `[${nameOf(one)}]` : `<${nameOf(one)}>`,
  );
  const words = row.isDefault === true ? row.words.replace(/ (\w+)$/, ' [$1]') : row.words;
  return [words, ...names].join(' ');
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}

function rowOf(row: RemoteCommand): string {
  return `| \`steward ${usage(row)}\` | ${cell(imperative(row.summary ?? row.operation.description))} | \`steward ${cell(row.example)}\` |`;
}

export function cliPage(): string {
  const codes = Object.values(EXIT).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  return `# The command line

\`steward\` does from a terminal or a script what the console does in a browser. It calls a running server over HTTP, with the same rights, the
same words and the same errors. \`steward COMMAND --help\` shows the arguments and flags of a command with an example. Locally, and not over
HTTP, work \`serve\`, \`backup\`, \`restore\`, \`move-store\`, \`reset-admin\`, \`doctor\`, \`prove\`, \`listen\` and \`manifest\`.

## Sign in

\`\`\`
steward login https://steward.example:6080 --username admin
\`\`\`

\`login\` asks for the password and keeps a token for a day (\`--expiration\` in minutes) in a profile, the file
\`~/.config/steward/default.json\`, which only you can read. \`--profile NAME\` keeps several servers apart. \`logout\` revokes the token and
removes the profile.

A script uses a named token instead (\`steward tokens create\`), in the environment:

| variable | meaning |
|---|---|
| \`STEWARD_SERVER\` | The address of the server, also \`--server\`. It may have a path: that of the public address (\`https://host/steward\`), of the administrative interface (\`https://host/admin\`), or both. The command asks the server which of them it is. |
| \`STEWARD_TOKEN\`, \`STEWARD_TOKEN_FILE\` | The token, or a file with it. It takes precedence over the profile. |
| \`STEWARD_PROFILE\` | The profile, also \`--profile\`. Default: \`default\`. |
| \`STEWARD_CA_FILE\` | Certificates to trust, in PEM, also \`--ca-file\`. |

\`steward listen\` takes the signatureKey of the webhook from \`--secret-file\`, \`STEWARD_LISTEN_SECRET_FILE\` (both name a file) or
\`STEWARD_LISTEN_SECRET\`.

The token of a profile is sent to the server of the profile only. Secrets are typed or read from a file (\`--password-file\`, \`-\` for standard
input), because every user of a machine can see the arguments of its processes.

## Output

- The result is on standard output. Questions, hints, progress and errors are on standard error.
- \`--json\` prints the answer of the server as it is described in \`/openapi.json\`. \`--quiet\` prints ids and secrets only, one per line.
- \`-o json\` is the same as \`--json\`. \`-o name\` prints what other commands take as arguments, one row per line: of \`webhooks ls\`
  the service and the id. \`-o columns=id,name,ledger.failed\` chooses the columns of a list; its \`--help\` names them. The three commands
  that write a file (\`--output FILE\`) have no \`-o\`.
- Tables fit the terminal. Ids are never shortened; where a row does not fit, it becomes a block of lines. Where the output is not a
  terminal, no text is shortened. Line breaks of a text stay, except in tables, where they become spaces.
- Times are in UTC and can be passed to flags such as \`--since\`.
- Commands that destroy something ask first. \`--yes\` answers; without a terminal it is required.
- \`upgrades start\`, \`resume\`, \`cancel\`, \`retry\`, \`rollback\` and \`watch\`, and \`jobs watch\`, follow a job to its end and exit with its outcome.
  They reconnect if the server restarts. Ctrl+C ends the command and not the job. \`--detach\` does not follow it.
- If a proxy answers in place of Steward, the error says so: with 413 its limit for bodies is too low, with 502 to 504 it did not get an
  answer ([proxies.md](proxies.md#if-the-proxy-answers-itself)).

## Limits of prove

\`steward prove\` exits with 9 and names what was broken, with the measured value, if one of these does not hold:

| subject | limit |
|---|---|
| \`deliveries\` | every accepted event arrives; at most as many attempts are repeated as were in flight at the faults; every signature is right; the ledger adds up |
| \`upgrades\` | every job succeeds, reports its end once, leaves the version that it names, and opens the system for writes |
| both | nothing stands still for longer than \`--max-stall\`: ${STALL_LIMITS_MS.deliveries / 1000} s for deliveries, ${STALL_LIMITS_MS.upgrades / 1000} s for upgrades, where the lease of a killed holder has to expire first |

The time in which a fault leaves no replica that can work does not count for \`--max-stall\`. The report has it in the longest stall.

## Exit codes

| code | meaning |
|---|---|
${codes.join('\n')}

## Completion

\`\`\`
steward completion bash > ~/.local/share/bash-completion/completions/steward
steward completion zsh > "\${fpath[1]}/_steward"
steward completion fish > ~/.config/fish/completions/steward.fish
\`\`\`

${LOCAL_COMMANDS}
## Commands that call the server

| command | what it does | example |
|---|---|---|
| \`steward login [url]\` | sign in, and keep the token in a profile that only you can read | \`steward login https://steward.example:6080 --username admin\` |
${REMOTE_COMMANDS.map(rowOf).join('\n')}
`;
}
