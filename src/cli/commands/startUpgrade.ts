// `upgrades plan` and `upgrades start`: fill in the settings of the version, upload the licence, show the plan, ask, start exactly
// that plan, and follow the job.
import { isObject, parseJson, readJson, valueAt } from '../../foundation/schema/json.ts';
import type { PlanAnswer } from '../../wire/answers/upgradeAnswers.ts';
import { templateOf } from '../../wire/client/call.ts';
import { upgradeOperations } from '../../wire/operations/upgradeOperations.ts';
import { uploadOperations } from '../../wire/operations/uploadOperations.ts';
import type { FormFields, SentFile } from '../remote/connection.ts';
import type { Exit } from '../remote/exitCodes.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import { answerOf, callOperation } from '../remote/typedCall.ts';
import type { CommandRun, ExtraFlag } from './remoteCommand.ts';
import { durationText, planText } from './planText.ts';
import { readBytes } from './runRemote.ts';
import { followStarted } from './upgradeJob.ts';

export const SETTING_FLAGS: readonly ExtraFlag[] = [
  { flag: '--license <file>', description: 'a licence file, which is uploaded as the setting licenseUpload' },
  { flag: '--set <setting=value>', description: 'a setting by its id; separate several with commas' },
];

type Inputs = readonly Readonly<Record<string, unknown>>[];

const SETTINGS_RULE = 'must be a JSON file, as steward upgrades settings --json prints it';

function settingsIn(text: string): unknown {
  const read = readJson(text, SETTINGS_RULE);
  if (read.kind === 'valid') return read.value;
  throw new CommandFailure('usage', `--settings ${read.problem}.`);
}

async function readInputs({ given, connection }: CommandRun): Promise<Inputs> {
  const { upgradeSettings, versionManifest = '' } = given.fields;
  const settings =
    upgradeSettings === undefined
      ? await callOperation(connection, upgradeOperations.getUpgradeSettings, {
          fields: { upgradeId: versionManifest },
        })
      : settingsIn(upgradeSettings);
  const inputs = valueAt(settings, 'userInputs');
  if (Array.isArray(inputs)) return inputs.filter(isObject);
  throw new CommandFailure('usage', `--settings ${SETTINGS_RULE}.`);
}

/** Changes one setting. The server checks the value. */
function withValue(inputs: Inputs, id: string, value: unknown): Inputs {
  if (inputs.some((one) => one['id'] === id)) return inputs.map((one) => (one['id'] === id ? { ...one, value } : one));
  const known = inputs.map((one) => String(one['id'])).join(', ');
  throw new CommandFailure('usage', `This version has no setting ${id}. Its settings are: ${known}.`);
}

function settingOf(text: string): readonly [string, unknown] {
  const [, id, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (id === undefined || value === undefined)
    throw new CommandFailure('usage', `--set must be like updateToLatestPatch=true, not "${text}".`);
  if (parseJson(value) === undefined) return [id, value];
  const read = readJson(value);
  if (read.kind === 'invalid') throw new CommandFailure('usage', `--set ${id} ${read.problem}.`);
  return [id, read.value];
}

async function uploadLicence({ connection }: CommandRun, path: string): Promise<string> {
  const itemFile: SentFile = { name: path.split('/').at(-1) ?? path, bytes: readBytes('--license', path) };
  const { item } = await callOperation(connection, uploadOperations.upload, { fields: { itemFile } });
  return item.itemID;
}

/** The fields of the request, with the settings of the version filled in. A manifest in the request has its own versions. */
async function filledFields(run: CommandRun): Promise<FormFields> {
  const { fields, files, extra } = run.given;
  const { license, set } = extra;
  const isOwnManifest = 'versionManifestFile' in files && fields['upgradeSettings'] === undefined;
  if (isOwnManifest && license === undefined && set === undefined) return fields;
  let inputs = await readInputs(run);
  if (typeof license === 'string') inputs = withValue(inputs, 'licenseUpload', await uploadLicence(run, license));
  for (const one of typeof set === 'string' ? set.split(/,(?=\w+=)/) : [])
    inputs = withValue(inputs, ...settingOf(one));
  return { ...fields, upgradeSettings: JSON.stringify({ userInputs: inputs }) };
}

async function callPlan(run: CommandRun, fields: FormFields): Promise<PlanAnswer> {
  const { planHash: _planHash, ...planned } = fields;
  const { files } = run.given;
  const answer = await run.connection.call({
    method: 'POST',
    path: templateOf(upgradeOperations.plan),
    fields: planned,
    ...(Object.keys(files).length > 0 && { files }),
  });
  return answerOf(upgradeOperations.plan.answer, answer);
}

/** Shows what an upgrade would do. */
export async function planUpgrade(run: CommandRun): Promise<Exit> {
  const plan = await callPlan(run, await filledFields(run));
  run.print({ kind: 'text', id: 'planHash', text: planText }, plan, upgradeOperations.plan.answer);
  return plan.canStart ? 'done' : 'badOutcome';
}

function question({ from, to, pointOfNoReturn, estimate }: PlanAnswer): string {
  const line = pointOfNoReturn === null ? '' : ` It cannot be undone from the step ${pointOfNoReturn} on.`;
  return `Upgrade the deployment from ${from} to ${to}? The system is read-only for about ${durationText(estimate.readOnlyMs)}.${line}`;
}

/** Plans, asks, starts and follows an upgrade. */
export async function startUpgrade(run: CommandRun): Promise<Exit> {
  const { flags, given, streams } = run;
  const fields = await filledFields(run);
  const plan = await callPlan(run, fields);
  const isQuiet = flags.json === true || flags.quiet === true;
  if (!isQuiet || !plan.canStart) streams.printError(planText(plan, streams.width));
  if (!plan.canStart) return 'badOutcome';
  await run.confirm(question(plan));
  const answer = await run.call({ fields: { planHash: plan.planHash, ...fields }, files: given.files });
  return followStarted(run, 'upgrade', answer);
}
