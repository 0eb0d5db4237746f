#!/usr/bin/env node
// The command line. A command loads its code only when it runs, so that each starts fast. Commands on the store are in
// service/, all others are in cli/.

import type { OptionValues } from 'commander';
import { Command, Option } from 'commander';
import type { ListenOptions } from './cli/listen/listen.ts';
import { addProve } from './cli/prove/proveCommand.ts';
import { addManifest } from './cli/manifest/manifestCommands.ts';
import { CommandFailure, EXIT, failureText } from './cli/remote/exitCodes.ts';
import { StewardError, mayPass } from './foundation/errors.ts';
import { keepTickShape } from './foundation/flow/tickShape.ts';
import type { DoctorContext, DoctorOptions } from './service/doctor/doctor.ts';
import type { ResetOptions, RestoreOptions } from './service/localCommands.ts';
import type { MovePlaces } from './service/moveStore.ts';
import type { Configuration } from './service/settings/configuration.ts';
import { ConfigurationError, readConfiguration } from './service/settings/configuration.ts';
import { SETTINGS, flagOf, variableOf } from './service/settings/settings.ts';
import { VERSION } from './service/version.ts';

keepTickShape();

// Files that Steward writes contain secrets: the store, its backups, the keys.
process.umask(0o077);

/** A reader such as `head` may close the pipe early. The service goes on without it; any other command is done. */
let isService = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE')
    printError(`The output cannot be written (${error.message}). Write it to another place.\n`);
  if (!isService) process.exit(error.code === 'EPIPE' ? EXIT.done.code : EXIT.failed.code);
});
// There is no other place to report it.
process.stderr.on('error', () => undefined);

const print = (text: string): void => void process.stdout.write(text);
const printError = (text: string): void => void process.stderr.write(text);

/** Where the store is. A command besides `serve` shows only these settings in its help, below its own flags. */
const STORE_SETTINGS: ReadonlySet<string> = new Set(['data', 'store']);

/** Makes every setting a flag of a command. Each command that opens the store needs them. */
function withSettings(command: Command): Command {
  const isServer = command.name() === 'serve';
  command.option('--config <file>', 'a YAML file with settings (STEWARD_CONFIG)');
  for (const [key, { description }] of Object.entries(SETTINGS)) {
    const value = key === 'demo' ? '[boolean]' : '<value>';
    const option = new Option(`--${flagOf(key)} ${value}`, `${description} (${variableOf(key)})`);
    command.addOption(option.hideHelp(!isServer && !STORE_SETTINGS.has(key)));
  }
  const hint = '\nAll settings of the server can be given. steward serve --help lists them.';
  return isServer ? command : command.addHelpText('after', hint);
}

function configurationOf({ config, ...given }: OptionValues): Configuration {
  const flags = Object.fromEntries(
    Object.entries(given)
      .filter(([key]) => Object.hasOwn(SETTINGS, key))
      .map(([key, value]) => [key, String(value)]),
  );
  const file = typeof config === 'string' ? config : process.env['STEWARD_CONFIG'];
  return readConfiguration({ flags, environment: process.env, file: file === '' ? undefined : file });
}

const program = new Command('steward')
  .description('The administrative service of a containerised enterprise deployment.')
  .version(VERSION)
  // Without this, `--version` of a command such as `manifest make` would print the version of Steward.
  .enablePositionalOptions()
  // Commands inherit it. Commander itself ends with 1 for wrong usage.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done.code : EXIT.usage.code));

withSettings(
  program
    .command('serve')
    .description('run the service')
    .option('--new', 'begin with an empty store, although the data folder has had one'),
).action(async (options: OptionValues) => {
  isService = true;
  const isNew = options['new'] === true;
  await (await import('./service/serve.ts')).serve(configurationOf(options), { isNew }, print);
});

withSettings(program.command('backup').description('write and check a copy of the embedded store, also in use'))
  .argument('<file>', 'the file to write')
  .action(async (file: string, options: OptionValues) =>
    (await import('./service/localCommands.ts')).backup(configurationOf(options), file, print),
  );

const HOLD = ['--hold', 'deactivate all webhooks, so that nothing is sent before you have decided'] as const;
withSettings(
  program
    .command('restore')
    .description('replace the embedded store with a backup')
    .option(...HOLD),
)
  .argument('<file>', 'the backup')
  .action(async (file: string, options: RestoreOptions) =>
    (await import('./service/localCommands.ts')).restore(configurationOf({ ...options }), file, options, print),
  );

withSettings(
  program
    .command('after-restore')
    .description('after pg_restore, or a copy by hand, before the first start: let sequence numbers continue')
    .option(...HOLD),
).action(async (options: RestoreOptions) =>
  (await import('./service/localCommands.ts')).afterRestore(configurationOf({ ...options }), options, print),
);

withSettings(
  program
    .command('reset-admin')
    .description('give an administrator a new password, directly in the store')
    .option('--username <name>', 'the user; default admin')
    .option('--keep-tokens', 'keep the named tokens that the user has created'),
).action(async (options: ResetOptions) =>
  (await import('./service/localCommands.ts')).resetAdmin(configurationOf({ ...options }), options, print),
);

withSettings(
  program
    .command('doctor')
    .description(
      'check configuration, store, master key, clock, disk, TLS, proxy, receivers and cluster, and say what to do',
    )
    .option('--bundle <file>', 'also write a file for a supporter, without secrets')
    .option('--json', 'print the findings as JSON')
    .option('--profile <name>', 'the profile to ask the running server with (STEWARD_PROFILE)'),
)
  .addHelpText('after', '\nExample:\n  steward doctor --data /var/lib/steward --bundle steward-support.json')
  .action(async (options: DoctorOptions & { readonly profile?: string }) => {
    const { doctor } = await import('./service/doctor/doctor.ts');
    const { openSignedIn } = await import('./cli/commands/runRemote.ts');
    const { processStreams } = await import('./cli/remote/processStreams.ts');
    const { profile } = options;
    const { hangingText } = await import('./cli/output/wrappedText.ts');
    const streams = processStreams();
    const hang = (label: string, text: string): string => hangingText(label, text, streams.width);
    const connection = openSignedIn(streams, profile === undefined ? {} : { profile });
    const ask: DoctorContext['ask'] = connection && ((path) => connection.call({ method: 'GET', path, fields: {} }));
    const readSettings = (): Configuration => configurationOf({ ...options });
    process.exitCode = await doctor(options, { readConfiguration: readSettings, ask, print, hang });
    await connection?.close();
  });

addProve(program, (code) => (process.exitCode = code));

program
  .command('move-store')
  .description('copy the whole store to an empty database, also after an interruption')
  .requiredOption('--from <place>', 'the data folder of the embedded store, or postgres://…')
  .requiredOption('--to <place>', 'an empty database, postgres://…, or a folder for an embedded store')
  .addHelpText(
    'after',
    `
Example: steward move-store --from /var/lib/steward --to postgres://steward@db/steward

Stop every server of the source first. The command copies all tables and compares both sides row for row. If it is
interrupted, run it again: it continues where it stopped. Until it is complete, no server starts on the target.
A password need not be in the address: PGPASSWORD and ~/.pgpass are read too.`,
  )
  .action(async (places: MovePlaces) => (await import('./service/moveStore.ts')).moveStore(places, print));

program
  .command('listen')
  .description('receive, verify and print webhook deliveries on this machine')
  .option('--port <n>', 'the port to listen on; default 8090')
  .option(
    '--secret <key>',
    'the signatureKey of the webhook, whsec_… (STEWARD_LISTEN_SECRET); other users can see it in the process list',
  )
  .option('--secret-file <file>', 'a file that contains it (STEWARD_LISTEN_SECRET_FILE)')
  .option('--answer <answer>', 'a status from 200 to 599, slow or never; default 200')
  .option('--slow <seconds>', 'how many seconds slow takes; default 30')
  .action(async (options: ListenOptions) => (await import('./cli/listen/listen.ts')).listen(options, print));

addManifest(program, {
  print,
  note: printError,
  openRegistry: async (flags) => (await import('./service/imageRegistry.ts')).openImageRegistry(flags, process.env),
});

/** Commands that call the server are registered only if one of them may run, so that the service starts faster. */
const LOCAL = new Set([
  'serve',
  'backup',
  'restore',
  'after-restore',
  'move-store',
  'reset-admin',
  'doctor',
  'prove',
  'listen',
  'manifest',
]);
if (!LOCAL.has(process.argv[2] ?? '')) {
  const { registerRemote } = await import('./cli/commands/register.ts');
  const { processStreams } = await import('./cli/remote/processStreams.ts');
  registerRemote(program, processStreams(), (code) => (process.exitCode = code));
}

/** Lets each command name its own help after a mistake. */
function nameHelp(command: Command, words: string): void {
  const what = command.commands.length > 0 ? 'for a list of commands' : 'for its arguments and flags';
  command.showHelpAfterError(`Run ${words} --help ${what}.`);
  for (const one of command.commands) nameHelp(one, `${words} ${one.name()}`);
}
nameHelp(program, 'steward');

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommandFailure) {
    printError(failureText(error));
    process.exit(EXIT[error.exit].code);
  }
  if (error instanceof ConfigurationError) {
    printError(`Steward cannot start. ${error.message}\n${error.problems.map((problem) => `  ${problem}\n`).join('')}`);
    process.exit(2);
  }
  if (!(error instanceof StewardError)) throw error;
  printError(`${error.message}\n${error.details.map((detail) => `  ${detail}\n`).join('')}`);
  // systemd must not repeat a start that fails again (RestartPreventExitStatus).
  process.exit(isService && !mayPass(error) ? EXIT.usage.code : EXIT.failed.code);
}
