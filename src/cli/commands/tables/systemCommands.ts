import { writeFileSync } from 'node:fs';
import { reasonOf } from '../../../foundation/errors.ts';
import { jobOperations } from '../../../wire/operations/jobOperations.ts';
import { rootOperations } from '../../../wire/operations/rootOperations.ts';
import { modeOperations, overviewOperations } from '../../../wire/operations/systemOperations.ts';
import { uploadOperations } from '../../../wire/operations/uploadOperations.ts';
import { listOf } from '../../output/output.ts';
import { bytesText } from '../../output/progress.ts';
import { lineText } from '../../output/values.ts';
import type { Exit } from '../../remote/exitCodes.ts';
import { CommandFailure } from '../../remote/exitCodes.ts';
import type { CommandRun, RemoteCommand } from '../remoteCommand.ts';
import { overviewText } from '../overviewText.ts';
import { watchJob } from '../watchJob.ts';
import { command, done, record, table } from '../views.ts';

/** Writes an uploaded file to a file, or to standard output. */
async function download({ connection, path, given, flags, streams }: CommandRun): Promise<Exit> {
  const bytes = await connection.download({ method: 'GET', path, fields: {} });
  const { output } = given.extra;
  if (flags.json === true)
    streams.print(
      `${JSON.stringify({ size: bytes.length, base64: Buffer.from(bytes).toString('base64') }, null, 2)}\n`,
    );
  else if (typeof output !== 'string') await streams.printBytes(bytes);
  else {
    try {
      writeFileSync(output, bytes, { flag: 'wx' });
    } catch (error) {
      throw new CommandFailure('usage', `--output: ${reasonOf(error)}`);
    }
    if (flags.quiet !== true) streams.printError(`Wrote ${bytesText(bytes.length)} to ${output}.\n`);
  }
  return 'done';
}

/** What the installed version lacks in the deployment, which no row of a workload says. */
function incompleteText(answer: unknown): string {
  const parts = listOf(answer, 'incomplete').map((part) => `  ${lineText(String(part))}\n`);
  return parts.length === 0 ? '' : `\nThe installed version is not complete:\n${parts.join('')}`;
}

const JOB_COMMANDS: readonly RemoteCommand[] = [
  command('jobs ls', '--num 10', jobOperations.list, {
    view: table(
      'jobs',
      'id',
      ['id', 'kind', 'state', 'phase', 'progress.done', 'progress.total', 'startedAt', 'startedBy'],
      'There was no job yet.',
    ),
  }),
  command('jobs show', '01JC', jobOperations.item),
  command('jobs messages', '01JC', jobOperations.messages, {
    summary: 'Lists the messages of a job.',
    view: table('messages', 'message', ['when', 'code', 'message'], 'The job has no message.', { name: ['code'] }),
  }),
  command('jobs watch', '01JC', jobOperations.messages, {
    summary: 'follow a job to its end, and exit with its outcome. Reconnects if the connection is lost',
    run: (run) => watchJob(run, run.path.split('/').at(-2) ?? ''),
  }),
  command('jobs pause', '01JC', jobOperations.pause, { view: done('The job {jobId} pauses.', 'jobId') }),
  command('jobs resume', '01JC', jobOperations.resume, {
    view: done('The job {jobId} goes on. Follow it with steward jobs watch {jobId}.', 'jobId'),
  }),
  command('jobs cancel', '01JC', jobOperations.cancel, {
    asks: 'Cancel the job {id}? An upgrade is rolled back.',
    view: done('The job {jobId} is being cancelled. Follow it with steward jobs watch {jobId}.', 'jobId'),
  }),
  command('jobs retry', '01JC', jobOperations.retry, {
    view: done('The job {jobId} goes on. Follow it with steward jobs watch {jobId}.', 'jobId'),
  }),
];

const UPLOAD_COMMANDS: readonly RemoteCommand[] = [
  command('uploads ls', '', uploadOperations.list, {
    view: table(
      'items',
      'itemID',
      ['itemID', 'itemName', 'size', 'date', 'owner', 'usedBy', 'description'],
      'There is no uploaded file.',
    ),
  }),
  command('uploads add', 'product.lic --description "Licence of 11.0"', uploadOperations.upload, {
    arguments: ['itemFile'],
    view: record('item', 'item.itemID'),
  }),
  command('uploads show', '01JC', uploadOperations.item, { summary: 'show one upload' }),
  command('uploads get', '01JC --output product.lic', uploadOperations.download, {
    flags: [{ flag: '--output <file>', description: 'a new file to write; default: standard output' }],
    run: download,
  }),
  command('uploads rm', '01JC', uploadOperations.delete, {
    asks: 'Delete the uploaded file {id}?',
    view: done('Deleted.'),
  }),
];

export const SYSTEM_COMMANDS: readonly RemoteCommand[] = [
  command('status', '', overviewOperations.overview, { view: { kind: 'text', text: overviewText } }),
  command('deployment', '', overviewOperations.deployment, {
    view: table(
      'workloads',
      'workload',
      ['workload', 'component', 'runs', 'rollout.done', 'rollout.total', 'trouble'],
      'There is no workload.',
      { after: incompleteText },
    ),
  }),
  command('mode show', '', modeOperations.mode, {
    summary: 'Shows whether the system is in read-only mode.',
    omit: Object.keys(modeOperations.mode.fields),
    isDefault: true,
  }),
  command('mode set', 'true --message "Maintenance until 5 o\'clock"', modeOperations.mode, {
    summary: 'start or end read-only mode',
    arguments: ['isReadOnly'],
  }),
  ...JOB_COMMANDS,
  ...UPLOAD_COMMANDS,
  command('resources ls', '', rootOperations.index, { isDefault: true }),
  command('resources security', '', rootOperations.security),
  command('resources system', '', rootOperations.system),
];
