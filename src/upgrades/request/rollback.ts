import { StewardError } from '../../foundation/errors.ts';
import { isActive } from '../../model/jobState.ts';
import type { LookedUp, Wanted } from './acceptUpgrade.ts';
import { unfinished } from './acceptUpgrade.ts';
import type { Facts, Installed } from '../ports/upgradeStore.ts';
import { versionNumberOf } from '../../model/version.ts';

/** The patch that can be taken away: the last thing that was installed, if it is one and left what was before. */
export function removable(facts: Facts): Installed | undefined {
  const last = facts.installed.at(-1);
  const isBusy = facts.latest !== undefined && (isActive(facts.latest.state) || unfinished(facts) !== undefined);
  const isPatch = last?.version.update === 'patch' && last.how === 'upgrade' && last.before.length > 0;
  return isPatch && !isBusy ? last : undefined;
}

export function rollbackWanted(facts: Facts, versionId: string, lookedUp: Pick<LookedUp, 'isSimulated'>): Wanted {
  const last = facts.installed.at(-1);
  const candidate = removable(facts);
  if (candidate === undefined || candidate.version.id !== versionId)
    throw new StewardError(
      'conflict',
      last?.version.id === versionId && last.version.update === 'release'
        ? `${versionId} is a release. Only a patch can be rolled back; go back from a release by its restore point.`
        : `${versionId} cannot be rolled back. ${candidate === undefined ? 'There is no patch that can.' : `Only ${candidate.version.id} can, which was installed last.`}`,
      { details: ['versionManifest: see checkRollback for what can be rolled back'] },
    );
  const before = facts.installed.at(-2)?.version;
  return {
    task: {
      versionId,
      from: versionNumberOf(candidate.version),
      to: versionNumberOf(before),
      volumes: {},
      licenceUpload: undefined,
      planHash: undefined,
      isRestorePointWaived: false,
      isSimulated: lookedUp.isSimulated,
      removes: candidate.seq,
    },
    legs: [{ update: 'rollback', version: undefined, replacedBy: undefined, former: candidate.before }],
    steps: [],
    isPastReturn: false,
  };
}
