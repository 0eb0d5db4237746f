import type { Announcement } from '../../model/decision.ts';
import { versionName } from '../../model/version.ts';
import type { JobFacts } from './runState.ts';

/** Makes an event about a job. */
export function upgradeEvent(type: string, job: JobFacts, more: object = {}): Announcement {
  const { from, to, versionId, isSimulated } = job.task;
  const data = { jobId: job.id, kind: job.kind, id: versionId, from: versionName(from), to: versionName(to) };
  return { type, data: { ...data, ...(isSimulated ? { simulated: true } : {}), ...more } };
}
