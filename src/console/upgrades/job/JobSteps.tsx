import { Text } from '@mantine/core';
import { Fragment } from 'react';
import type { Tone } from '../../app/theme.ts';
import type { IconName } from '../../parts/text/Icon.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import type { JobStep } from '../answers.ts';
import { NoReturn } from '../parts/NoReturn.tsx';

const STATES: Readonly<
  Record<JobStep['state'], { readonly tone: Tone; readonly text: string; readonly icon?: IconName }>
> = {
  pending: { tone: 'calm', text: 'Waiting' },
  running: { tone: 'busy', text: 'Running' },
  done: { tone: 'good', text: 'Done' },
  stopped: { tone: 'bad', text: 'Stopped' },
  undone: { tone: 'warn', text: 'Undone', icon: 'undo' },
};

function Step({ step }: { readonly step: JobStep }) {
  const { done, total } = step.progress;
  return (
    <li className="step" data-state={step.state}>
      <span>{step.title}</span>
      {total > 1 && (
        <span className="number muted">
          {done} of {total}
        </span>
      )}
      <StateLabel {...STATES[step.state]} />
    </li>
  );
}

/** The steps of a job with their states, and the point of no return as a line across them. */
export function JobSteps({ steps }: { readonly steps: readonly JobStep[] }) {
  const firstFinal = steps.find(({ canBeUndone }) => !canBeUndone);
  if (steps.length === 0)
    return (
      <Text size="sm" className="muted">
        The steps are listed when the plan is made.
      </Text>
    );
  return (
    <ol className="steps">
      {steps.map((one) => (
        <Fragment key={one.step}>
          {one === firstFinal && (
            <li className="noReturn">
              <NoReturn />
            </li>
          )}
          <Step step={one} />
        </Fragment>
      ))}
    </ol>
  );
}
