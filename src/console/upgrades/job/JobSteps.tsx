import { Text } from '@mantine/core';
import { Fragment } from 'react';
import type { Tone } from '../../parts/text/tone.ts';
import type { IconName } from '../../parts/text/Icon.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import type { Job, JobStep } from '../answers.ts';
import { NoReturn } from '../parts/NoReturn.tsx';
import { isActive } from '../parts/jobState.ts';

interface ShownStep {
  readonly tone: Tone;
  readonly text: string;
  readonly icon?: IconName;
}

const STATES: Readonly<Record<JobStep['state'], ShownStep>> = {
  pending: { tone: 'calm', text: 'Waiting' },
  running: { tone: 'busy', text: 'Running' },
  done: { tone: 'good', text: 'Done' },
  stopped: { tone: 'bad', text: 'Stopped' },
  undone: { tone: 'warn', text: 'Undone', icon: 'undo' },
};

/** A step says no more than the job: one of a paused job does not run, and a job that has ended starts none. */
function shownStep({ state }: JobStep, job: Job): ShownStep {
  if (state === 'running' && job.state === 'paused') return { tone: 'warn', text: 'Paused', icon: 'pause' };
  if (state === 'pending' && !isActive(job.state)) return { tone: 'calm', text: 'Not run' };
  return STATES[state];
}

function Step({ step, job }: { readonly step: JobStep; readonly job: Job }) {
  const { done, total } = step.progress;
  return (
    <li className="step" data-state={step.state}>
      <span>{step.title}</span>
      {total > 1 && (
        <span className="number muted">
          {done} of {total}
        </span>
      )}
      <StateLabel {...shownStep(step, job)} />
    </li>
  );
}

/** The steps of a job with their states, and the point of no return as a line across them. */
export function JobSteps({ job }: { readonly job: Job | undefined }) {
  const steps = job?.steps ?? [];
  const firstFinal = steps.find(({ canBeUndone }) => !canBeUndone);
  if (job === undefined || steps.length === 0)
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
          <Step step={one} job={job} />
        </Fragment>
      ))}
    </ol>
  );
}
