import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { NextActions } from '../../actions/NextActions.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import type { Job } from '../answers.ts';
import { FaultBoard } from '../demo/FaultBoard.tsx';
import { JobStateLabel } from '../parts/JobStateLabel.tsx';
import { isActive, kindName } from '../parts/jobState.ts';
import { Picture } from '../picture/Picture.tsx';
import { Controls } from './Controls.tsx';
import { JobSteps } from './JobSteps.tsx';
import { Messages } from './Messages.tsx';
import { Outages } from './Outages.tsx';
import { Summary } from './Summary.tsx';
import { useJobStream } from './useJobStream.ts';

const CRUMBS = [{ to: '/upgrades', text: 'Upgrades' }];

/** Reads everything else again when the state of the job changes: the mode and the deployment change with it. */
function useFreshState(state: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (state !== undefined) void client.invalidateQueries();
  }, [client, state]);
}

/** The next actions of a job. If something else has made them pointless, its advice says what. */
function Advice({ failure }: { readonly failure: NonNullable<Job['failure']> }) {
  const { advice, nextActions, alternatives } = failure;
  return nextActions.length + alternatives.length > 0 ? (
    <NextActions of={failure} />
  ) : (
    <span className="lines">
      <ServerText text={advice} />
    </span>
  );
}

/** A job, live: what it does now, its steps, the deployment, and its messages as they come. */
export function JobPage({ id }: { readonly id: string }) {
  const { job, messages, outages, refusal } = useJobStream(id);
  useFreshState(job?.state);
  const title = job === undefined ? 'Job' : `${kindName(job.kind)} ${job.from} → ${job.to}`;
  if (refusal !== undefined)
    return (
      <>
        <PageHead title={title} crumbs={CRUMBS} />
        <Problem error={refusal} />
      </>
    );
  return (
    <>
      <PageHead
        title={title}
        crumbs={CRUMBS}
        aside={job && <JobStateLabel job={job} />}
        actions={job && <Controls job={job} />}
      />
      <Stack gap="md">
        <Outages outages={outages} messages={messages} />
        {job !== undefined && <Summary job={job} messages={messages} />}
        {job?.failure && (
          <Panel title="What to do">
            <Advice failure={job.failure} />
          </Panel>
        )}
        <div className="beside">
          <Panel title="Steps">
            <JobSteps job={job} />
          </Panel>
          <Picture job={job} isBusy={job !== undefined && isActive(job.state)} />
        </div>
        {job !== undefined && job.state !== 'success' && <FaultBoard />}
        <Messages messages={messages} />
      </Stack>
    </>
  );
}
