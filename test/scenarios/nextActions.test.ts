import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commandLines, wordsFor } from '../../src/cli/commands/actionCommands.ts';
import { processStreams } from '../../src/cli/remote/processStreams.ts';
import { REMOTE_COMMANDS, registerRemote } from '../../src/cli/commands/register.ts';
import { demoOperations } from '../../src/demo/demoOperations.ts';
import { requestFor } from '../../src/console/actions/requests.ts';
import type { NextAction, UpgradeParameters } from '../../src/model/nextAction.ts';
import { NEXT_ACTIONS, isNextAction } from '../../src/model/nextAction.ts';
import { jobOperations } from '../../src/wire/operations/jobOperations.ts';
import type { Operation } from '../../src/wire/operations/operations.ts';
import { modeOperations, overviewOperations } from '../../src/wire/operations/systemOperations.ts';
import { upgradeOperations } from '../../src/wire/operations/upgradeOperations.ts';
import { serviceWebhookOperations, systemWebhookOperations } from '../../src/wire/operations/webhookOperations.ts';

const UPGRADE: UpgradeParameters = {
  versionManifest: 'rel_11.0',
  upgradeSettings: {
    userInputs: [
      { id: 'updateToLatestPatch', value: true },
      { id: 'licenseUpload', value: '01JC' },
      { id: 'volumesConfig', value: { data: { size: '5Gi', storageClass: "it's" } } },
    ],
  },
  withoutRestorePoint: true,
};
const JOB = { job: 'job_01JC' };
const WEBHOOK = { service: 'Finance/Invoices.Report', webhook: '01JC' };
const OF_SYSTEM = { service: '', webhook: '01JC' };

/** Every action, with each kind of its parameters. */
const SAMPLES: readonly NextAction[] = [
  { action: 'retry', parameters: JOB },
  { action: 'resume', parameters: JOB },
  { action: 'cancel', parameters: JOB },
  { action: 'planAgain', parameters: UPGRADE },
  { action: 'startAgain', parameters: UPGRADE },
  { action: 'startAgain', parameters: { versionManifest: 'pat_10.9.1.1842' } },
  { action: 'rollback', parameters: { versionManifest: 'pat_10.9.1.1842' } },
  { action: 'adopt', parameters: { versionManifest: 'rel_11.0', force: true } },
  { action: 'adopt', parameters: { force: true } },
  { action: 'openForWrites', parameters: {} },
  // The operation has `force` only where a database without a writer is refused.
  ...('force' in modeOperations.mode.fields ? [{ action: 'openForWrites', parameters: { force: true } } as const] : []),
  { action: 'removeFault', parameters: { fault: '01JC' } },
  { action: 'diagnostics', parameters: { of: 'deployment' } },
  { action: 'diagnostics', parameters: { of: 'server' } },
  { action: 'uploadLicence', parameters: {} },
  ...(['testWebhook', 'activateWebhook', 'resendFailed', 'replaceSecrets'] as const).flatMap((action) => [
    { action, parameters: WEBHOOK },
    { action, parameters: OF_SYSTEM },
  ]),
];

const OPERATIONS: readonly Operation[] = [
  jobOperations,
  modeOperations,
  overviewOperations,
  upgradeOperations,
  demoOperations,
  serviceWebhookOperations,
  systemWebhookOperations,
].flatMap((table): readonly Operation[] => Object.values(table));

function operationAt(path: string): Operation | undefined {
  return OPERATIONS.find((one) => {
    const pattern = one.path.replace('{service}', '.+').replace(/\{\w+\}/g, '[^/]+');
    return new RegExp(`^${pattern}$`).test(path);
  });
}

/** Parses a command line without running it. Returns the words of the command that would run. */
async function parsed(words: readonly string[]): Promise<string> {
  const program = new Command('steward').exitOverride().enablePositionalOptions();
  const silent = { writeOut: () => undefined, writeErr: () => undefined };
  registerRemote(program, processStreams(), () => undefined);
  program.command('doctor');
  let ran = '';
  const visit = (at: Command, path: readonly string[]): void => {
    at.exitOverride().configureOutput(silent);
    if (at.commands.length === 0 || path.length > 1) at.action(() => void (ran = path.join(' ')));
    for (const one of at.commands) visit(one, [...path, one.name()]);
  };
  visit(program, []);
  await program.parseAsync([...words], { from: 'user' });
  return ran;
}

describe('[UPG30] next actions are a closed list', () => {
  test('the samples have every action, and each of them has the parameters that it needs', () => {
    expect([...new Set(SAMPLES.map(({ action }) => action))].toSorted()).toEqual([...NEXT_ACTIONS].toSorted());
    for (const one of SAMPLES) expect(isNextAction(one)).toBe(true);
    expect(isNextAction({ action: 'retry', parameters: {} })).toBe(false);
    expect(isNextAction({ action: 'somethingNew', parameters: {} })).toBe(false);
  });

  test('the request of every action is an operation with these fields, or needs a person', () => {
    const person: string[] = [];
    for (const one of SAMPLES) {
      const request = requestFor(one);
      if (request === undefined) {
        person.push(one.action);
        continue;
      }
      const operation = operationAt(request.path);
      expect({ path: request.path, isKnown: operation !== undefined }).toEqual({ path: request.path, isKnown: true });
      expect(operation?.kind === 'resource' ? 'GET' : 'POST').toBe(request.method);
      for (const field of Object.keys(request.fields)) expect(Object.keys(operation?.fields ?? {})).toContain(field);
    }
    expect([...new Set(person)]).toEqual(['adopt', 'uploadLicence', 'replaceSecrets']);
  });

  test('every action has a command line that parses, and that is a command of the same name', async () => {
    for (const one of SAMPLES) {
      const words = wordsFor(one);
      const ran = await parsed(words);
      expect(words.join(' ').startsWith(ran) && ran !== '', `${words.join(' ')} runs ${ran}`).toBe(true);
    }
  });

  test('the commands to list and to remove faults call the operations of the demo', () => {
    const of = (words: string) => REMOTE_COMMANDS.find((row) => row.words === words)?.operation;
    expect(of('faults ls')?.path).toBe(demoOperations.faults.path);
    expect(of('faults rm')?.path).toBe(demoOperations.removeFaults.path);
    expect(Object.keys(of('faults rm')?.fields ?? {})).toEqual(['id']);
  });

  test('a command line is quoted for a shell, and an unknown action is left out', () => {
    const [start = '', ...others] = commandLines([
      { action: 'startAgain', parameters: UPGRADE },
      { action: 'somethingNew', parameters: {} },
    ]);
    expect(others).toEqual([]);
    expect(start).toBe(
      String.raw`steward upgrades start rel_11.0 --set 'updateToLatestPatch=true,licenseUpload=01JC,volumesConfig={"data":{"size":"5Gi","storageClass":"it'\''s"}}' --without-restore-point`,
    );
  });
});
