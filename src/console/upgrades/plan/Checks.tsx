import { Button, Stack } from '@mantine/core';
import type { Tone } from '../../parts/text/tone.ts';
import { Panel } from '../../parts/layout/Panel.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { Plan } from '../answers.ts';

type Check = Plan['checks'][number];

const VERDICTS: Readonly<Record<Check['verdict'], { readonly tone: Tone; readonly text: string }>> = {
  fail: { tone: 'bad', text: 'Failed' },
  unknown: { tone: 'warn', text: 'No answer' },
  warn: { tone: 'warn', text: 'Warning' },
  pass: { tone: 'good', text: 'Passed' },
};
const ORDER: readonly Check['verdict'][] = ['fail', 'unknown', 'warn', 'pass'];

function CheckLine({ check }: { readonly check: Check }) {
  const { name, verdict, text, todo } = check;
  return (
    <li className="check">
      <StateLabel {...VERDICTS[verdict]} />
      <span>
        <strong>{name}</strong>: <ServerText text={text} />
        {todo !== '' && (
          <div className="todo">
            <ServerText text={todo} />
          </div>
        )}
      </span>
    </li>
  );
}

export interface ChecksProps {
  readonly plan: Plan;
  readonly isFresh: boolean;
  readonly again: () => void;
}

/** Every check with what to do about it, the failed ones first. */
export function Checks({ plan, isFresh, again }: ChecksProps) {
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
          <CheckLine key={one.name} check={one} />
        ))}
      </Stack>
    </Panel>
  );
}
