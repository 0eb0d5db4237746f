// The other managers of the fields of an object that would change, and whether one of them would revert the change (UPG18).
import { listed } from '../../../foundation/text/listed.ts';
import type { Manager } from '../../../model/workload.ts';
import type { FieldChange, ObjectProblem } from '../../../upgrades/ports/objects.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { fieldManagersOf } from '../workloads/managers.ts';
import { pausedSources } from '../workloads/pausedSources.ts';

export interface ConflictRules {
  readonly api: ClusterApi;
  /** Managers whose fields are taken over although they are in no list. */
  readonly takeOverFrom: ReadonlySet<string>;
}

/** The managers of an object and of these owners' fields. The source of an object is read only if a manager reconciles. */
export async function managersIn(
  { api, takeOverFrom }: ConflictRules,
  live: ClusterObject,
  owners: readonly string[],
  signal?: AbortSignal,
): Promise<readonly Manager[]> {
  const managers = fieldManagersOf(live, owners, takeOverFrom);
  if (!managers.some(({ reconciles }) => reconciles)) return managers;
  return fieldManagersOf(live, owners, takeOverFrom, await pausedSources(api, live, signal));
}

/** The problem that a manager would revert a change. `fields` are those that would change; empty for a removal. */
export function conflictOf(
  object: string,
  managers: readonly Manager[],
  fields: readonly Pick<FieldChange, 'field' | 'managers'>[],
): ObjectProblem | undefined {
  const reconciling = managers.filter(({ reconciles }) => reconciles).map(({ name }) => name);
  if (reconciling.length === 0) return undefined;
  const names = listed(reconciling);
  const theirs = fields.filter((one) => one.managers.some((name) => reconciling.includes(name)));
  const which = listed(theirs.map(({ field }) => field));
  const what = fields.length === 0 ? 'its removal' : which === '' ? 'a change of it' : `a change of ${which}`;
  return {
    kind: 'conflict',
    reason: `${object} is managed by ${names}, which would revert ${what}.`,
    advice: `Pause ${names}, change ${object} in its source, or send acknowledge=${object}.`,
  };
}
