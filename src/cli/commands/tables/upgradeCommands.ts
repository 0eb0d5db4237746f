import { jobOperations } from '../../../wire/operations/jobOperations.ts';
import { upgradeOperations } from '../../../wire/operations/upgradeOperations.ts';
import { listOf } from '../../output/output.ts';
import { textAt } from '../../output/values.ts';
import { LAST_MESSAGES, upgradeStatusText } from '../planText.ts';
import type { RemoteCommand } from '../remoteCommand.ts';
import { SETTING_FLAGS, planUpgrade, startUpgrade } from '../startUpgrade.ts';
import type { UpgradeControl } from '../upgradeJob.ts';
import { controlUpgrade, rollBack, watchUpgrade } from '../upgradeJob.ts';
import { command, done, record, table } from '../views.ts';

const VERSION_COLUMNS = ['id', 'update', 'version', 'build', 'released', 'name'];
const DETACH = { flag: '--detach', description: 'do not follow it' };

/** The later versions, each with the ids to install in their order. */
function pathRows(answer: unknown) {
  return listOf(answer, 'paths').map((path) => {
    const ids = listOf(path, 'versions').map((one) => textAt(one, 'id'));
    return { id: textAt(path, 'id'), versions: ids.join(' → ') };
  });
}

/** A job that is controlled without its id is the latest upgrade. */
function control(word: string, { operation, ...more }: UpgradeControl): RemoteCommand {
  const { description, answer, fields } = operation;
  const isFollowed = more.endsAs !== undefined;
  // The path of the operation has the id of a job, which is looked up.
  const ofLatest = { ...upgradeOperations.status, description, answer, fields };
  return command(`upgrades ${word}`, '', ofLatest, {
    ...(isFollowed && { summary: `${description} Follows the job to its end.`, flags: [DETACH] }),
    view: record(undefined, 'jobId'),
    run: controlUpgrade({ operation, ...more }),
  });
}

const LIST_COMMANDS: readonly RemoteCommand[] = [
  command('upgrades status', '', upgradeOperations.status, {
    summary: `show the state of the latest upgrade or rollback, its last ${LAST_MESSAGES} messages and what to do next. --json has all messages`,
    view: { kind: 'text', id: 'status.state', name: 'job.id', text: upgradeStatusText },
  }),
  command('upgrades available', '', upgradeOperations.available, {
    view: table(
      undefined,
      'id',
      VERSION_COLUMNS,
      'No version can be installed. steward upgrades import adds versions.',
    ),
  }),
  command('upgrades paths', '', upgradeOperations.paths, {
    view: table('paths', 'id', ['id', 'versions'], 'No later version can be reached.', {
      rows: pathRows,
      whole: ['versions'],
    }),
  }),
  command('upgrades installed', '', upgradeOperations.installed, {
    view: table(
      'updates',
      'id',
      ['id', 'update', 'version', 'build', 'installedAt', 'how', 'by'],
      'No version is recorded. steward upgrades adopt records the one that runs.',
    ),
  }),
  command('upgrades current', '', upgradeOperations.currentVersion, {
    view: { ...record(undefined, 'fullVersion'), name: 'id' },
  }),
  command('upgrades history', '', upgradeOperations.history, {
    view: table(
      'updates',
      'id',
      ['id', 'kind', 'from', 'to', 'state', 'reason', 'incomplete', 'startedAt', 'endedAt', 'startedBy'],
      'There was no upgrade yet.',
    ),
  }),
  command('upgrades check-rollback', '', upgradeOperations.checkRollback, {
    view: table('updates', 'id', VERSION_COLUMNS, 'No version can be rolled back.'),
  }),
  command('upgrades images', 'rel_11.0.1234', upgradeOperations.images, {
    arguments: ['id'],
    view: table('images', 'image', ['image', 'reference', 'containers'], 'It needs no image.', {
      whole: ['reference'],
    }),
  }),
];

export const UPGRADE_COMMANDS: readonly RemoteCommand[] = [
  ...LIST_COMMANDS,
  command('upgrades settings', 'rel_11.0.1234 --json > settings.json', upgradeOperations.getUpgradeSettings, {
    arguments: ['upgradeId'],
    view: table('userInputs', 'id', ['id', 'type', 'required', 'value', 'description'], 'It has no setting.'),
  }),
  command('upgrades plan', 'rel_11.0.1234 --license product.lic', upgradeOperations.plan, {
    arguments: ['versionManifest'],
    documents: ['upgradeSettings'],
    flags: SETTING_FLAGS,
    run: planUpgrade,
  }),
  command('upgrades start', 'rel_11.0.1234 --license product.lic', upgradeOperations.upgrade, {
    summary: 'show the plan of an upgrade, ask, start it, and follow it to its end',
    arguments: ['versionManifest'],
    documents: ['upgradeSettings'],
    flags: [...SETTING_FLAGS, DETACH],
    run: startUpgrade,
  }),
  command('upgrades watch', '', upgradeOperations.status, {
    summary: 'follow the latest upgrade to its end, and exit with its outcome. Reconnects if the connection is lost',
    run: watchUpgrade,
  }),
  control('pause', { operation: jobOperations.pause, done: 'It pauses when its running work is done.' }),
  control('resume', { operation: jobOperations.resume, done: 'It goes on.', endsAs: ['success'] }),
  control('cancel', {
    operation: jobOperations.cancel,
    done: 'It is rolled back.',
    asks: 'What it has changed is rolled back.',
    endsAs: ['rolled_back'],
  }),
  // A retry of a failed rollback ends with what it has rolled back.
  control('retry', { operation: jobOperations.retry, done: 'It goes on.', endsAs: ['success', 'rolled_back'] }),
  command('upgrades rollback', 'pat_11.0.1240', upgradeOperations.rollback, {
    arguments: ['versionManifest'],
    flags: [DETACH],
    asks: 'Roll {versionManifest} back? The system is read-only until that has ended.',
    run: rollBack,
  }),
  command('upgrades import', 'versions.json --objects objects.jsonl', upgradeOperations.importManifest, {
    arguments: ['versionManifestFile'],
  }),
  command('upgrades adopt', 'rel_11.0.1234 --dry-run', upgradeOperations.adopt, {
    arguments: ['versionManifest'],
    view: { ...record(undefined, 'fullVersion'), name: 'id' },
  }),
  command('restore-point', '"snapshot 42 on the backup server"', upgradeOperations.declareRestorePoint, {
    arguments: ['name'],
    view: done('The restore point {name} is declared. It is valid for 24 hours.', 'name'),
  }),
];
