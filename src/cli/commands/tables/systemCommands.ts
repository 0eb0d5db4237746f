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
import { done, record, table } from '../views.ts';

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

const ADDRESSES = record();

const JOB_COMMANDS: readonly RemoteCommand[] = [
  {
    words: 'jobs ls',
    operation: jobOperations.list,
    example: 'jobs ls --num 10',
    view: table(
      'jobs',
      'id',
      ['id', 'kind', 'state', 'phase', 'progress.done', 'progress.total', 'startedAt', 'startedBy'],
      'There was no job yet.',
    ),
  },
  { words: 'jobs show', operation: jobOperations.item, example: 'jobs show 01JC', view: record() },
  {
    words: 'jobs messages',
    operation: jobOperations.messages,
    summary: 'Lists the messages of a job.',
    example: 'jobs messages 01JC',
    view: table('messages', 'message', ['when', 'code', 'message'], 'The job has no message.', { name: ['code'] }),
  },
  {
    words: 'jobs watch',
    operation: jobOperations.messages,
    summary: 'follow a job to its end, and exit with its outcome. Reconnects if the connection is lost',
    example: 'jobs watch 01JC',
    view: record(),
    run: (run) => watchJob(run, run.path.split('/').at(-2) ?? ''),
  },
  {
    words: 'jobs pause',
    operation: jobOperations.pause,
    example: 'jobs pause 01JC',
    view: done('The job {jobId} pauses.', 'jobId'),
  },
  {
    words: 'jobs resume',
    operation: jobOperations.resume,
    example: 'jobs resume 01JC',
    view: done('The job {jobId} goes on. Follow it with steward jobs watch {jobId}.', 'jobId'),
  },
  {
    words: 'jobs cancel',
    operation: jobOperations.cancel,
    asks: 'Cancel the job {id}? An upgrade is rolled back.',
    example: 'jobs cancel 01JC',
    view: done('The job {jobId} is being cancelled. Follow it with steward jobs watch {jobId}.', 'jobId'),
  },
  {
    words: 'jobs retry',
    operation: jobOperations.retry,
    example: 'jobs retry 01JC',
    view: done('The job {jobId} goes on. Follow it with steward jobs watch {jobId}.', 'jobId'),
  },
];

const UPLOAD_COMMANDS: readonly RemoteCommand[] = [
  {
    words: 'uploads ls',
    operation: uploadOperations.list,
    example: 'uploads ls',
    view: table(
      'items',
      'itemID',
      ['itemID', 'itemName', 'size', 'date', 'owner', 'usedBy', 'description'],
      'There is no uploaded file.',
    ),
  },
  {
    words: 'uploads add',
    operation: uploadOperations.upload,
    arguments: ['itemFile'],
    example: 'uploads add product.lic --description "Licence of 11.0"',
    view: record('item', 'item.itemID'),
  },
  {
    words: 'uploads show',
    operation: uploadOperations.item,
    summary: 'show one upload',
    example: 'uploads show 01JC',
    view: record(),
  },
  {
    words: 'uploads get',
    operation: uploadOperations.download,
    flags: [{ flag: '--output <file>', description: 'a new file to write; default: standard output' }],
    example: 'uploads get 01JC --output product.lic',
    view: record(),
    run: download,
  },
  {
    words: 'uploads rm',
    operation: uploadOperations.delete,
    asks: 'Delete the uploaded file {id}?',
    example: 'uploads rm 01JC',
    view: done('Deleted.'),
  },
];

export const SYSTEM_COMMANDS: readonly RemoteCommand[] = [
  {
    words: 'status',
    operation: overviewOperations.overview,
    example: 'status',
    view: { kind: 'text', text: overviewText },
  },
  {
    words: 'deployment',
    operation: overviewOperations.deployment,
    example: 'deployment',
    view: table(
      'workloads',
      'workload',
      ['workload', 'component', 'runs', 'rollout.done', 'rollout.total', 'trouble'],
      'There is no workload.',
      { after: incompleteText },
    ),
  },
  {
    words: 'mode show',
    operation: modeOperations.mode,
    summary: 'Shows whether the system is in read-only mode.',
    omit: Object.keys(modeOperations.mode.fields),
    isDefault: true,
    example: 'mode',
    view: record(),
  },
  {
    words: 'mode set',
    operation: modeOperations.mode,
    summary: 'start or end read-only mode',
    arguments: ['isReadOnly'],
    example: 'mode set true --message "Maintenance until 5 o\'clock"',
    view: record(),
  },
  ...JOB_COMMANDS,
  ...UPLOAD_COMMANDS,
  { words: 'resources ls', operation: rootOperations.index, isDefault: true, example: 'resources', view: ADDRESSES },
  { words: 'resources security', operation: rootOperations.security, example: 'resources security', view: ADDRESSES },
  { words: 'resources system', operation: rootOperations.system, example: 'resources system', view: ADDRESSES },
];
