// Adds all commands that call the server to the program.
import type { Command } from 'commander';
import { knownColumns } from '../output/outputForm.ts';
import { wrapText } from '../output/wrappedText.ts';
import { EXIT } from '../remote/exitCodes.ts';
import type { Streams } from '../remote/streams.ts';
import { ACCESS_COMMANDS } from './tables/accessCommands.ts';
import { CATALOG_COMMANDS } from './tables/catalogCommands.ts';
import { DEMO_COMMANDS } from './tables/demoCommands.ts';
import { SYSTEM_COMMANDS } from './tables/systemCommands.ts';
import { UPGRADE_COMMANDS } from './tables/upgradeCommands.ts';
import { SERVICE_WEBHOOK_COMMANDS, SYSTEM_WEBHOOK_COMMANDS } from './tables/webhookCommands.ts';
import { completionScript } from './completion.ts';
import type { RemoteCommand } from './remoteCommand.ts';
import { flagFields, flagOf, hasOutputForm, nameOf } from './remoteCommand.ts';
import type { GivenOptions } from './runRemote.ts';
import { argumentsOf, runRemote } from './runRemote.ts';
import type { LoginOptions } from './session.ts';
import { login } from './session.ts';

export const REMOTE_COMMANDS: readonly RemoteCommand[] = [
  ...SYSTEM_COMMANDS,
  ...CATALOG_COMMANDS,
  ...SERVICE_WEBHOOK_COMMANDS,
  ...UPGRADE_COMMANDS,
  ...ACCESS_COMMANDS,
  ...SYSTEM_WEBHOOK_COMMANDS,
  ...DEMO_COMMANDS,
];

/** That of Commander, where there is no terminal. */
const HELP_WIDTH = 80;

const GROUPS: Readonly<Record<string, string>> = {
  audit: 'list and export administrative changes',
  catalog: 'list, publish and change services',
  events: 'send events to the webhooks of a service, and look at them',
  faults: 'list and remove the faults of a simulated deployment',
  jobs: 'follow and control jobs',
  mode: 'show or change read-only mode',
  resources: 'list the addresses of the interface',
  'system-webhooks': 'manage webhooks for events of the system',
  tokens: 'manage named tokens',
  upgrades: 'plan, run and follow upgrades',
  uploads: 'manage uploaded files',
  users: 'manage users',
  webhooks: 'manage webhooks and look at their deliveries',
  'webhooks settings': 'show or change the delivery policy',
};

function withConnection(command: Command): Command {
  return command
    .option('--server <url>', 'the address of the server; default: that of the profile (STEWARD_SERVER)')
    .option('--profile <name>', 'the profile that steward login has written (STEWARD_PROFILE)')
    .option('--ca-file <file>', 'certificates to trust, in PEM (STEWARD_CA_FILE)');
}

function groupOf(program: Command, words: readonly string[]): Command {
  let at = program;
  for (const [n, word] of words.entries()) {
    const found = at.commands.find((one) => one.name() === word);
    at = found ?? at.command(word).description(GROUPS[words.slice(0, n + 1).join(' ')] ?? '');
  }
  return at;
}

/** The interface says what an operation does ("Lists …"), and the help of a command says what to do ("list …"). */
export function imperative(description: string): string {
  const text = description.replace(/\.$/, '');
  const verb = /^([A-Z][a-z]+)s\b/.exec(text)?.[1];
  if (verb === undefined) return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  const base = verb === 'Return' ? 'show' : verb.toLowerCase().replace(/(sh|ch)e$/, '$1');
  return base + text.slice(verb.length + 1);
}

function firstSentence(text: string): string {
  return text.replace(/(?<=[^.]{12})[.;] .*$/s, '');
}

function argumentHelp(command: RemoteCommand, name: string): string {
  if (name === 'service') return 'name.type or folder/name.type';
  return command.operation.fields[name]?.description ?? '';
}

function addOutputForm(command: Command, { view, operation }: RemoteCommand, width: number | undefined): void {
  if (view.kind !== 'table') {
    command.option('-o, --output <form>', 'json, as --json, or name: what other commands take');
    return;
  }
  command
    .option('-o, --output <form>', 'json; name: only what other commands take; or columns=a,b')
    .addHelpText(
      'after',
      () =>
        `\nColumns:\n${wrapText(`  ${knownColumns(view, operation.answer).join(', ')}`, width ?? HELP_WIDTH, '  ')}`,
    );
}

function addRemote(program: Command, row: RemoteCommand, streams: Streams, end: (code: number) => void): void {
  const words = row.words.split(' ');
  const name = words.at(-1) ?? '';
  const command = groupOf(program, words.slice(0, -1)).command(name, { isDefault: row.isDefault === true });
  const text = imperative(row.summary ?? row.operation.description);
  command.description(text).summary(firstSentence(text));
  const names = argumentsOf(row);
  for (const one of names) {
    const shown = row.optional?.includes(one) === true ? `[${nameOf(one)}]` : `<${nameOf(one)}>`;
    command.argument(shown, argumentHelp(row, one));
  }
  for (const [field, described] of flagFields(row))
    command.option(flagOf(row, field, described), described.description);
  for (const { flag, description } of row.flags ?? []) command.option(flag, description);
  if (row.asks !== undefined || row.run !== undefined) command.option('--yes', 'do not ask');
  withConnection(command)
    .option('--json', 'print the answer of the server as JSON')
    .option('--quiet', 'print ids and secrets only');
  if (hasOutputForm(row)) addOutputForm(command, row, streams.width);
  command.addHelpText('after', `\nExample:\n  steward ${row.example}`).action(async (...given: readonly unknown[]) => {
    const args = Object.fromEntries(names.map((one, n) => [one, given[n]]).filter(([, value]) => value !== undefined));
    end(EXIT[await runRemote(row, args, given[names.length] as GivenOptions, streams)].code);
  });
}

/** Adds the commands. `end` gets the exit code of the one that ran. */
export function registerRemote(program: Command, streams: Streams, end: (code: number) => void): void {
  withConnection(
    program
      .command('login')
      .description('sign in, and keep the token in a profile that only you can read')
      .argument('[url]', 'the address of the server; default http://127.0.0.1:6080')
      .option('--username <name>', 'the user')
      .option('--password-file <file>', 'a file with the password; - reads standard input')
      .option('--expiration <minutes>', 'how long the token is valid; default 1440')
      .option('--quiet', 'print nothing')
      .option('--json', 'print user, server and expiry as JSON'),
  )
    .addHelpText('after', '\nExample:\n  steward login https://steward.example:6080 --username admin')
    .action(async (url: string | undefined, options: LoginOptions) => {
      await login(url, options, streams);
    });
  for (const row of REMOTE_COMMANDS) addRemote(program, row, streams, end);
  program
    .command('completion')
    .description('print the completion script of a shell')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', '\nExample:\n  steward completion bash > ~/.local/share/bash-completion/completions/steward')
    .action((shell: string) => streams.print(completionScript(shell, program)));
}
