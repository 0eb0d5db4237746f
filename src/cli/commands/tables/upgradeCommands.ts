import { jobOperations } from '../../../wire/operations/jobOperations.ts';
import { upgradeOperations } from '../../../wire/operations/upgradeOperations.ts';
import { listOf } from '../../output/output.ts';
import { textAt } from '../../output/values.ts';
import { LAST_MESSAGES, upgradeStatusText } from '../planText.ts';
import type { RemoteCommand } from '../remoteCommand.ts';
import { SETTING_FLAGS, planUpgrade, startUpgrade } from '../startUpgrade.ts';
import type { UpgradeControl } from '../upgradeJob.ts';
import { controlUpgrade, rollBack, watchUpgrade } from '../upgradeJob.ts';
import { done, record, table } from '../views.ts';

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
  return {
    words: `upgrades ${word}`,
    // The path of the operation has the id of a job, which is looked up.
    operation: { ...upgradeOperations.status, description, answer, fields },
    ...(isFollowed && { summary: `${description} Follows the job to its end.`, flags: [DETACH] }),
    example: `upgrades ${word}`,
    view: record(undefined, 'jobId'),
    run: controlUpgrade({ operation, ...more }),
  };
}

const LIST_COMMANDS: readonly RemoteCommand[] = [
  {
    words: 'upgrades status',
    operation: upgradeOperations.status,
    summary: `show the state of the latest upgrade or rollback, its last ${LAST_MESSAGES} messages and what to do next. --json has all messages`,
    example: 'upgrades status',
    view: { kind: 'text', id: 'status.state', name: 'job.id', text: upgradeStatusText },
  },
  {
    words: 'upgrades available',
    operation: upgradeOperations.available,
    example: 'upgrades available',
    view: table(
      undefined,
      'id',
      VERSION_COLUMNS,
      'No version can be installed. steward upgrades import adds versions.',
    ),
  },
  {
    words: 'upgrades paths',
    operation: upgradeOperations.paths,
    example: 'upgrades paths',
    view: table('paths', 'id', ['id', 'versions'], 'No later version can be reached.', {
      rows: pathRows,
      whole: ['versions'],
    }),
  },
  {
    words: 'upgrades installed',
    operation: upgradeOperations.installed,
    example: 'upgrades installed',
    view: table(
      'updates',
      'id',
      ['id', 'update', 'version', 'build', 'installedAt', 'how', 'by'],
      'No version is recorded. steward upgrades adopt records the one that runs.',
    ),
  },
  {
    words: 'upgrades current',
    operation: upgradeOperations.currentVersion,
    example: 'upgrades current',
    view: { ...record(undefined, 'fullVersion'), name: 'id' },
  },
  {
    words: 'upgrades history',
    operation: upgradeOperations.history,
    example: 'upgrades history',
    view: table(
      'updates',
      'id',
      ['id', 'kind', 'from', 'to', 'state', 'reason', 'incomplete', 'startedAt', 'endedAt', 'startedBy'],
      'There was no upgrade yet.',
    ),
  },
  {
    words: 'upgrades check-rollback',
    operation: upgradeOperations.checkRollback,
    example: 'upgrades check-rollback',
    view: table('updates', 'id', VERSION_COLUMNS, 'No version can be rolled back.'),
  },
  {
    words: 'upgrades images',
    operation: upgradeOperations.images,
    arguments: ['id'],
    example: 'upgrades images rel_11.0.1234',
    view: table('images', 'image', ['image', 'reference', 'containers'], 'It needs no image.', {
      whole: ['reference'],
    }),
  },
];

export const UPGRADE_COMMANDS: readonly RemoteCommand[] = [
  ...LIST_COMMANDS,
  {
    words: 'upgrades settings',
    operation: upgradeOperations.getUpgradeSettings,
    arguments: ['upgradeId'],
    example: 'upgrades settings rel_11.0.1234 --json > settings.json',
    view: table('userInputs', 'id', ['id', 'type', 'required', 'value', 'description'], 'It has no setting.'),
  },
  {
    words: 'upgrades plan',
    operation: upgradeOperations.plan,
    arguments: ['versionManifest'],
    documents: ['upgradeSettings'],
    flags: SETTING_FLAGS,
    example: 'upgrades plan rel_11.0.1234 --license product.lic',
    view: record(),
    run: planUpgrade,
  },
  {
    words: 'upgrades start',
    operation: upgradeOperations.upgrade,
    summary: 'show the plan of an upgrade, ask, start it, and follow it to its end',
    arguments: ['versionManifest'],
    documents: ['upgradeSettings'],
    flags: [...SETTING_FLAGS, DETACH],
    example: 'upgrades start rel_11.0.1234 --license product.lic',
    view: record(),
    run: startUpgrade,
  },
  {
    words: 'upgrades watch',
    operation: upgradeOperations.status,
    summary: 'follow the latest upgrade to its end, and exit with its outcome. Reconnects if the connection is lost',
    example: 'upgrades watch',
    view: record(),
    run: watchUpgrade,
  },
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
  {
    words: 'upgrades rollback',
    operation: upgradeOperations.rollback,
    arguments: ['versionManifest'],
    flags: [DETACH],
    asks: 'Roll {versionManifest} back? The system is read-only until that has ended.',
    example: 'upgrades rollback pat_11.0.1240',
    view: record(),
    run: rollBack,
  },
  {
    words: 'upgrades import',
    operation: upgradeOperations.importManifest,
    arguments: ['versionManifestFile'],
    example: 'upgrades import versions.json',
    view: record(),
  },
  {
    words: 'upgrades adopt',
    operation: upgradeOperations.adopt,
    arguments: ['versionManifest'],
    example: 'upgrades adopt rel_11.0.1234 --dry-run',
    view: { ...record(undefined, 'fullVersion'), name: 'id' },
  },
  {
    words: 'restore-point',
    operation: upgradeOperations.declareRestorePoint,
    arguments: ['name'],
    example: 'restore-point "snapshot 42 on the backup server"',
    view: done('The restore point {name} is declared. It is valid for 24 hours.', 'name'),
  },
];
