import type { Advice } from './nextAction.ts';

/** Everything that may need a person. */
export const ATTENTION_KINDS = [
  'webhookUnreadable',
  'webhookDeactivated',
  'webhookNearDeactivation',
  'webhookFailing',
  'upgradeFailed',
  'upgradeRolledBack',
  'upgradePaused',
  'deploymentNotAnswering',
  'workloadUnhealthy',
  'databaseTrouble',
  'databaseWithoutWriter',
  'drift',
  'versionIncomplete',
  'readOnly',
  'notReady',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** `critical`: something does not work now. `warning`: it will not, or a part does not. `notice`: good to know. */
export const SEVERITIES = ['critical', 'warning', 'notice'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const SUBJECT_KINDS = ['webhook', 'job', 'workload', 'deployment', 'database', 'mode', 'server'] as const;

export interface AttentionSubject {
  readonly kind: (typeof SUBJECT_KINDS)[number];
  /** As people call it. */
  readonly name: string;
  /** Of a webhook or a job. */
  readonly id?: string;
  /** Of a webhook: folder/name.type, or empty for the system. */
  readonly service?: string;
}

/** Something that needs a person, as the overview lists it. */
export interface AttentionItem extends Advice {
  readonly kind: AttentionKind;
  readonly severity: Severity;
  readonly subject: AttentionSubject;
  /** Null if it is not known. */
  readonly since: number | null;
  /** As one or more sentences. */
  readonly cause: string;
  /** The job of Steward that explains it; null if there is none. */
  readonly job: string | null;
}

const MOST = 50;

/** The most severe first, and of one severity the latest. The list is bounded; `more` counts the rest. */
export function listAttention(items: readonly AttentionItem[]): {
  readonly attention: readonly AttentionItem[];
  readonly more: number;
} {
  const sorted = items.toSorted(
    (one, other) =>
      SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) || (other.since ?? 0) - (one.since ?? 0),
  );
  return { attention: sorted.slice(0, MOST), more: Math.max(0, sorted.length - MOST) };
}
