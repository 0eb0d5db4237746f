import type { Clock } from '../../foundation/clock.ts';
import { HOUR, SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Check, Deployment } from '../ports/deployment.ts';
import type { Hook } from '../../model/hook.ts';
import type { Inventory } from '../../model/workload.ts';
import { HOOKS } from '../../model/hook.ts';
import type { Change, Plan } from './plan.ts';
import { imagesOf, isSameImages } from './plan.ts';
import type { RestorePoint } from '../ports/upgradeStore.ts';
import type { Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';

export interface CheckNeeds {
  readonly deployment: Deployment;
  readonly inventory: Inventory;
  readonly plan: Plan;
  readonly versions: readonly Version[];
  readonly isRelease: boolean;
  /** From old to new. */
  readonly installed: readonly Version[];
  readonly restorePoint: RestorePoint | undefined;
  readonly isRestorePointWaived: boolean;
  readonly clock: Clock;
  /** Whether to ask again, for a minute, what could not be asked. */
  readonly isPatient: boolean;
  /** The server stops: nobody waits for the answers any more. */
  readonly signal?: AbortSignal;
}

type Verdict = Omit<Check, 'name'>;

const RESTORE_POINT_LASTS_MS = 24 * HOUR;
const ANSWER_WITHIN_MS = 60 * SECOND;
const ASK_AGAIN_AFTER_MS = SECOND;
const NAMED_AT_MOST = 8;

const pass = (text: string): Verdict => ({ verdict: 'pass', text, todo: '' });
const warn = (text: string, todo: string): Verdict => ({ verdict: 'warn', text, todo });
const fail = (text: string, todo: string): Verdict => ({ verdict: 'fail', text, todo });

function named(names: readonly string[]): string {
  const more = names.length - NAMED_AT_MOST;
  return more > 0 ? `${names.slice(0, NAMED_AT_MOST).join(', ')} and ${more} more` : names.join(', ');
}

function changesIn({ steps }: Plan): readonly Change[] {
  return steps.flatMap((step) => (step.kind === 'leg' ? step.waves.flat() : []));
}

async function askImages({ deployment, plan }: CheckNeeds): Promise<Verdict> {
  const wanted = [
    ...new Map(
      changesIn(plan).flatMap(({ to }) => to.map((image) => [`${image.image} ${image.checksum}`, image])),
    ).values(),
  ];
  const found = await deployment.findImages(wanted);
  const bad: string[] = [];
  const unknown: string[] = [];
  for (const [n, { image }] of wanted.entries()) {
    const finding = found[n];
    if (finding?.kind === 'absent') bad.push(`${image} is absent: ${finding.reason}`);
    else if (finding?.kind === 'differs')
      bad.push(`${image} has the checksum ${finding.found} in the registry, not that of the manifest`);
    else if (finding?.kind === 'unknown') unknown.push(`${image} (${finding.reason})`);
  }
  if (bad.length > 0)
    return fail(
      `${bad.length} of ${wanted.length} images are not in the registry as the manifest names them: ${named(bad)}.`,
      'Push the right images to the registry, or import a manifest that names the right ones.',
    );
  if (unknown.length > 0)
    return warn(
      `The registry could not tell of ${named(unknown)}.`,
      'See whether the registry can be reached from here.',
    );
  return pass(`All ${wanted.length} images are in the registry with their checksums.`);
}

function askWorkloads({ inventory, versions }: CheckNeeds): Verdict {
  const has = new Set(inventory.workloads.flatMap(({ images }) => images.map(({ container }) => container)));
  const missing = [...new Set(versions.flatMap(({ containers }) => containers.map(({ name }) => name)))].filter(
    (name) => !has.has(name),
  );
  if (inventory.workloads.length === 0)
    return fail('The deployment has no workloads.', 'See whether Steward looks at the right namespace.');
  return missing.length === 0
    ? pass(`Each container of the manifest is found among ${inventory.workloads.length} workloads.`)
    : warn(
        `No workload has the containers ${named(missing)}.`,
        'They are left out. If they should be there, install them first.',
      );
}

function askChanges({ plan, inventory }: CheckNeeds): Verdict {
  const changes = changesIn(plan);
  const stays = inventory.workloads.length - new Set(changes.map(({ workload }) => workload)).size;
  return changes.length === 0
    ? warn('Every workload runs these images already.', 'Nothing is rolled out; the job records the version.')
    : pass(`${changes.length} workload updates; ${stays} workloads stay as they are.`);
}

function askHealth({ inventory }: CheckNeeds): Verdict {
  const ill = inventory.workloads.flatMap(({ name, trouble }) =>
    trouble === undefined ? [] : [`${name} (${trouble})`],
  );
  return ill.length === 0
    ? pass('All workloads are well.')
    : warn(`Not well now: ${named(ill)}.`, 'See whether that is what the upgrade is to mend; if not, mend it first.');
}

function askOwners({ plan, inventory }: CheckNeeds): Verdict {
  const changed = new Set(changesIn(plan).map(({ workload }) => workload));
  const owned = inventory.workloads.flatMap(({ name, owner }) =>
    owner === undefined || !changed.has(name) ? [] : [`${name} (${owner})`],
  );
  return owned.length === 0
    ? pass('Nobody else manages the images.')
    : fail(
        `Another manager owns the images of ${named(owned)}.`,
        'Let that manager give up the image fields, or make the change through it. Steward takes nothing by force.',
      );
}

function askDrift({ inventory, installed }: CheckNeeds): Verdict {
  const last = installed.at(-1);
  if (last === undefined) return warn('It is not known which version is installed.', 'Tell it with adopt.');
  // What the later ones do not name is as the earlier ones left it.
  const imagesFor = imagesOf(...installed);
  const other = inventory.workloads.filter((one) => !isSameImages(one.images, imagesFor(one))).map(({ name }) => name);
  return other.length === 0
    ? pass(`What runs is ${versionName(last)}.`)
    : warn(
        `Other images than those of ${versionName(last)} run in ${named(other)}.`,
        'Find out who changed them; they are replaced.',
      );
}

function askDatabase({ inventory: { database }, isRelease }: CheckNeeds): Verdict {
  if (!isRelease) return pass('A patch does not touch the database.');
  if (database === undefined)
    return warn(
      'Steward has no hand in the database; its steps are left out.',
      'Upgrade the database by its own means if the release needs it.',
    );
  if (database.trouble !== undefined) return fail(database.trouble, 'Bring primary and standby in order first.');
  return pass(
    database.instances.map(({ name, role, engine }) => `${name} is ${role}, engine ${engine}`).join('; ') + '.',
  );
}

function askHooks({ inventory, isRelease }: CheckNeeds): Verdict {
  const missing: readonly Hook[] = HOOKS.filter((hook) => !inventory.hooks.includes(hook));
  if (!isRelease || missing.length === 0) return pass(isRelease ? 'All hooks are there.' : 'A patch runs no hooks.');
  return warn(
    `There are no hooks ${named(missing)}; their steps and messages are left out.`,
    'Add them if what they do is needed.',
  );
}

function askRestorePoint(needs: CheckNeeds): Verdict {
  const { plan, inventory, restorePoint, isRestorePointWaived, clock } = needs;
  if (plan.pointOfNoReturn === undefined) return pass('Not needed: everything that this job does can be undone.');
  if (isRestorePointWaived)
    return warn(
      'It goes without a restore point, as was asked for.',
      'After the point of no return there is no way back.',
    );
  if (inventory.hooks.includes('backup')) return pass('The hook backup makes one before the point of no return.');
  if (restorePoint !== undefined && clock.now() - restorePoint.at <= RESTORE_POINT_LASTS_MS)
    return pass(`${restorePoint.name}, of ${new Date(restorePoint.at).toISOString()}.`);
  return fail(
    restorePoint === undefined
      ? 'There is no restore point.'
      : `The restore point ${restorePoint.name} is older than 24 hours.`,
    'Make one and declare it with declareRestorePoint, add a hook backup, or go without by sending withoutRestorePoint=true.',
  );
}

const CHECKS: Readonly<Record<string, (needs: CheckNeeds) => Verdict | Promise<Verdict>>> = {
  images: askImages,
  containers: askWorkloads,
  changes: askChanges,
  health: askHealth,
  owners: askOwners,
  drift: askDrift,
  database: askDatabase,
  hooks: askHooks,
  restorePoint: askRestorePoint,
};

/** Trouble in asking is no verdict for who has time. */
async function insistently<T>(ask: () => Promise<T>, { clock, isPatient }: CheckNeeds, late: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isPatient || late.aborted) throw error;
      await clock.sleep(ASK_AGAIN_AFTER_MS, late);
    }
  }
}

async function withinTime(
  name: string,
  needs: CheckNeeds,
  ask: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  const todo = 'See why it cannot be asked, then try again.';
  const late = new AbortController();
  const over = needs.signal === undefined ? late.signal : AbortSignal.any([late.signal, needs.signal]);
  let trouble = `There was no answer within ${ANSWER_WITHIN_MS / SECOND} s.`;
  const noting = async (): Promise<readonly Check[]> => {
    try {
      return await ask();
    } catch (error) {
      trouble = `It could not be asked: ${reasonOf(error)}.`;
      throw error;
    }
  };
  const tooLate = needs.clock.sleep(ANSWER_WITHIN_MS, over).then(() => [{ name, ...fail(trouble, todo) }]);
  const answer = insistently(noting, needs, over).catch(() => [{ name, ...fail(trouble, todo) }]);
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    late.abort();
  }
}

/** All are asked, at once, so that a person sees every obstacle. */
export async function askAll(needs: CheckNeeds): Promise<readonly Check[]> {
  const ours = Object.entries(CHECKS).map(([name, ask]) =>
    withinTime(name, needs, async () => [{ name, ...(await ask(needs)) }]),
  );
  const theirs = withinTime('deployment', needs, () => needs.deployment.diagnose());
  return (await Promise.all([...ours, theirs])).flat();
}
