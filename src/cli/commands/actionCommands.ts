// The command that carries an action out, for every action: the only table from actions to commands.
import { printable } from '../../foundation/text/printable.ts';
import type { NextAction, NextActionName, ShownAction, UpgradeParameters } from '../../model/nextAction.ts';
import { isNextAction } from '../../model/nextAction.ts';

type Words = readonly string[];
type Commands = { readonly [A in NextActionName]: (next: NextAction<A>) => Words };

function ofWebhook(word: string, more: Words = []) {
  return ({ parameters: { service, webhook } }: Pick<NextAction<'testWebhook'>, 'parameters'>): Words =>
    service === '' ? ['system-webhooks', word, webhook, ...more] : ['webhooks', word, service, webhook, ...more];
}

/** A setting is shown as `--set` takes it. */
function upgradeWords(word: string, parameters: UpgradeParameters): Words {
  const { versionManifest, upgradeSettings, withoutRestorePoint, afterFailure, acknowledge } = parameters;
  const values = (upgradeSettings?.userInputs ?? []).map(
    ({ id, value }) => `${id}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [
    'upgrades',
    word,
    versionManifest,
    ...(values.length === 0 ? [] : ['--set', values.join(',')]),
    ...(withoutRestorePoint === undefined ? [] : ['--without-restore-point']),
    ...(afterFailure === undefined ? [] : ['--after-failure', afterFailure]),
    ...(acknowledge === undefined ? [] : ['--acknowledge', acknowledge.join(',')]),
  ];
}

const COMMANDS: Commands = {
  retry: ({ parameters }) => ['jobs', 'retry', parameters.job],
  resume: ({ parameters }) => ['jobs', 'resume', parameters.job],
  cancel: ({ parameters }) => ['jobs', 'cancel', parameters.job],
  planAgain: ({ parameters }) => upgradeWords('plan', parameters),
  startAgain: ({ parameters }) => upgradeWords('start', parameters),
  rollback: ({ parameters }) => ['upgrades', 'rollback', parameters.versionManifest],
  adopt: ({ parameters: { versionManifest = 'VERSION' } }) => ['upgrades', 'adopt', versionManifest, '--force'],
  openForWrites: ({ parameters: { force } }) => ['mode', 'set', 'false', ...(force === undefined ? [] : ['--force'])],
  removeFault: ({ parameters }) => ['faults', 'rm', parameters.fault],
  diagnostics: ({ parameters }) => [parameters.of === 'deployment' ? 'deployment' : 'doctor'],
  uploadLicence: () => ['uploads', 'add', 'LICENCE_FILE'],
  testWebhook: ofWebhook('test'),
  activateWebhook: ofWebhook('activate', ['--pending', 'release']),
  resendFailed: ofWebhook('resend-failed'),
  replaceSecrets: ofWebhook('edit', ['--signature-key-file', 'KEY_FILE', '--headers-file', 'HEADERS_FILE']),
};

/** The words of the command, after `steward`. */
export function wordsFor<A extends NextActionName>(next: NextAction<A>): Words {
  return COMMANDS[next.action](next);
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** One line for each action that this version knows. */
export function commandLines(actions: readonly ShownAction[]): readonly string[] {
  return actions.filter(isNextAction).map((next) => `steward ${printable(wordsFor(next).map(quoted).join(' '))}`);
}

interface ShownAdvice {
  readonly nextActions: readonly ShownAction[];
  readonly alternatives: readonly ShownAction[];
}

/** What to do, as commands in their order, and the other ways out. Empty if there is nothing to do through Steward. */
export function adviceLines({ nextActions, alternatives }: ShownAdvice, indent = '  '): string {
  const lines = commandLines(nextActions).map((line) => `${indent}${line}\n`);
  const others = commandLines(alternatives).map((line) => `${indent}or: ${line}\n`);
  return [...lines, ...others].join('');
}
