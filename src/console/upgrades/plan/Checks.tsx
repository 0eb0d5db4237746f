import { Button, Stack } from '@mantine/core';
import { isNextAction } from '../../../model/nextAction.ts';
import { NextActions } from '../../actions/NextActions.tsx';
import type { Tone } from '../../parts/text/tone.ts';
import { Panel } from '../../parts/layout/Panel.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { Plan } from '../answers.ts';
import { Acknowledge } from './Acknowledged.tsx';

type Check = Plan['checks'][number];

const VERDICTS: Readonly<Record<Check['verdict'], { readonly tone: Tone; readonly text: string }>> = {
  fail: { tone: 'bad', text: 'Failed' },
  unknown: { tone: 'warn', text: 'No answer' },
  warn: { tone: 'warn', text: 'Warning' },
  pass: { tone: 'good', text: 'Passed' },
};
const ORDER: readonly Check['verdict'][] = ['fail', 'unknown', 'warn', 'pass'];

export interface ChecksProps {
  readonly plan: Plan;
  readonly isFresh: boolean;
  readonly again: () => void;
  /** Workloads and objects whose other managers the plan counts as paused. */
  readonly acknowledged: readonly string[];
  readonly onAcknowledge: (names: readonly string[]) => void;
}

type CheckLineProps = Pick<ChecksProps, 'acknowledged' | 'onAcknowledge'> & { readonly check: Check };

/** What can be done about a check. To plan the same again is the button above all checks. */
function CheckActions({ check: { nextActions = [] }, acknowledged, onAcknowledge }: CheckLineProps) {
  const known = nextActions.filter(isNextAction);
  const others = known.filter(({ action }) => action !== 'planAgain');
  const names = known.flatMap((one) => (one.action === 'planAgain' ? (one.parameters.acknowledge ?? []) : []));
  const hasMore = names.some((name) => !acknowledged.includes(name));
  if (others.length === 0 && !hasMore) return undefined;
  return (
    <div className="checkActions">
      {others.length > 0 && <NextActions of={{ nextActions: others, alternatives: [] }} />}
      {hasMore && <Acknowledge names={names} onAcknowledge={onAcknowledge} />}
    </div>
  );
}

function CheckLine(props: CheckLineProps) {
  const { name, verdict, text, todo } = props.check;
  return (
    <li className="check">
      <StateLabel {...VERDICTS[verdict]} />
      <div>
        <strong>{name}</strong>: <ServerText text={text} />
        {todo !== '' && (
          <div className="todo">
            <ServerText text={todo} />
          </div>
        )}
        <CheckActions {...props} />
      </div>
    </li>
  );
}

/** Every check with what to do about it, the failed ones first. */
export function Checks({ plan, isFresh, again, ...acknowledgement }: ChecksProps) {
  const checks = ORDER.flatMap((verdict) => plan.checks.filter((one) => one.verdict === verdict));
  return (
    <Panel
      title="Checks"
      aside={
        <Button variant="default" onClick={again} loading={!isFresh}>
          Check again
        </Button>
      }
    >
      <Stack gap="sm" component="ul" className="checks">
        {checks.map((one) => (
          <CheckLine key={one.name} check={one} {...acknowledgement} />
        ))}
      </Stack>
    </Panel>
  );
}
