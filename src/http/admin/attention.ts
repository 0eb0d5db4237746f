// What needs a person, from all areas: the items of webhooks and upgrades, read-only mode, and what keeps this replica from serving.
import { sentence } from '../../foundation/text/sentence.ts';
import type { AttentionItem } from '../../model/attention.ts';
import { listAttention } from '../../model/attention.ts';
import type { NextAction } from '../../model/nextAction.ts';
import type { Mode } from '../../model/mode.ts';
import { acceptsWrites } from '../../model/workload.ts';
import type { UpgradeView } from '../../upgrades/attention.ts';
import { upgradeAttention } from '../../upgrades/attention.ts';
import { failedJob } from '../../upgrades/versions/currentVersion.ts';

export interface AttentionView extends UpgradeView {
  readonly mode: Mode;
  readonly obstacles: readonly string[];
  readonly webhooks: readonly AttentionItem[];
}

const LOOK: readonly NextAction[] = [{ action: 'diagnostics', parameters: { of: 'deployment' } }];

/** Read-only mode that no running job holds. While a failed job has left it on, finishing the job ends it. */
function modeItem({ mode, facts, running }: AttentionView): readonly AttentionItem[] {
  if (!mode.isReadOnly || mode.setBy === 'job') return [];
  const isKnown = running !== undefined && !(running instanceof Error);
  const force = isKnown && !acceptsWrites(running.inventory);
  const open = [{ action: 'openForWrites', parameters: force ? { force } : {} }] as const;
  const failed = mode.setBy === 'failure' ? failedJob(facts) : undefined;
  const cause =
    failed === undefined
      ? sentence(`The system is in read-only mode${mode.message === '' ? '' : `: ${mode.message}`}`)
      : `The ${failed.kind} that failed has left read-only mode on. It ends when that job is finished, or when a person opens the system.`;
  return [
    {
      kind: 'readOnly',
      severity: failed === undefined && !force ? 'notice' : 'critical',
      subject: { kind: 'mode', name: 'read-only mode' },
      since: failed?.ended ?? null,
      cause,
      job: failed?.id ?? null,
      // Opening by force is a way out, and never the advice: writes would fail.
      nextActions: failed !== undefined ? [] : force ? LOOK : open,
      alternatives: failed === undefined && !force ? [] : open,
    },
  ];
}

function obstacleItem(obstacle: string): AttentionItem {
  return {
    kind: 'notReady',
    severity: 'critical',
    subject: { kind: 'server', name: 'this replica' },
    since: null,
    cause: `This replica does not serve requests: ${sentence(obstacle)}`,
    job: null,
    nextActions: [{ action: 'diagnostics', parameters: { of: 'server' } }],
    alternatives: [],
  };
}

export function attentionOf(view: AttentionView): ReturnType<typeof listAttention> {
  return listAttention([
    ...view.obstacles.map(obstacleItem),
    ...upgradeAttention(view),
    ...modeItem(view),
    ...view.webhooks,
  ]);
}
