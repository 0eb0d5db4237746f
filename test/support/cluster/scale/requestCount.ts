// Counts the requests of an upgrade at the API server.
import type { AuditedRequest } from './auditLog.ts';

/** The kinds that the driver watches while a job runs. */
export const WATCHED: readonly string[] = ['deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'pods'];

export interface RequestCount {
  /** Requests that name one workload. */
  readonly ofWorkloads: number;
  /** The largest number of such requests for one workload. */
  readonly mostForOne: number;
  /** The largest number of watches of one kind. */
  readonly watchesOfOneKind: number;
  /** Lists of the watched kinds, with each page of a list. */
  readonly lists: number;
  /** All others: discovery, rights, the mode, events, quota, nodes, the service account. */
  readonly others: number;
}

function isOfWorkload({ resource, name }: AuditedRequest): boolean {
  return resource === 'deployments' && name !== '';
}

function countsBy(requests: readonly AuditedRequest[], keyOf: (one: AuditedRequest) => string) {
  const counts = new Map<string, number>();
  for (const one of requests) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

function largest(counts: ReadonlyMap<string, number>): number {
  return Math.max(0, ...counts.values());
}

export function countRequests(requests: readonly AuditedRequest[]): RequestCount {
  const ofWorkloads = requests.filter(isOfWorkload);
  const watches = requests.filter(({ verb }) => verb === 'watch');
  const lists = requests.filter(({ verb, resource }) => verb === 'list' && WATCHED.includes(resource)).length;
  return {
    ofWorkloads: ofWorkloads.length,
    mostForOne: largest(countsBy(ofWorkloads, ({ name }) => name)),
    watchesOfOneKind: largest(countsBy(watches, ({ resource }) => resource)),
    lists,
    others: requests.length - ofWorkloads.length - watches.length - lists,
  };
}

/** The requests by verb, resource and answer, for a person. */
export function describeRequests(requests: readonly AuditedRequest[]): string {
  const counts = countsBy(requests, ({ verb, resource, name, isDryRun, status }) =>
    [
      verb,
      resource === '' ? 'discovery' : resource,
      ...(isDryRun ? ['(dry run)'] : []),
      ...(name === '' ? [] : ['by name']),
      status,
    ].join(' '),
  );
  return [...counts]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([key, count]) => `  ${String(count).padStart(6)} ${key}`)
    .join('\n');
}
