import { Button } from '@mantine/core';
import { at } from '../../../wire/client/call.ts';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import type { Job } from '../answers.ts';
import { isActive } from '../parts/jobState.ts';
import { possibleControls } from './possibleControls.ts';

const PAST_RETURN = 'The job is past the point of no return and cannot be rolled back. It can be paused.';

/** Pause, resume, cancel and retry, each only where it is possible. */
export function Controls({ job }: { readonly job: Job }) {
  const pause = useOperation(at(api.jobs.pause, job));
  const resume = useOperation(at(api.jobs.resume, job));
  const cancel = useOperation(at(api.jobs.cancel, job), { isQuiet: true });
  const retry = useOperation(at(api.jobs.retry, job));
  const possible = possibleControls(job);
  const isPastReturn = job.pastPointOfNoReturn === true && isActive(job.state);
  return (
    <>
      {possible.pause && (
        <Button variant="default" onClick={() => pause.mutate({})} loading={pause.isPending}>
          Pause
        </Button>
      )}
      {possible.resume && (
        <Button onClick={() => resume.mutate({})} loading={resume.isPending}>
          Resume
        </Button>
      )}
      {(possible.cancel || isPastReturn) && (
        <ConfirmButton
          title="Cancel this job?"
          text="Everything that it has changed is rolled back. The job ends as rolled back."
          refusal={isPastReturn ? PAST_RETURN : undefined}
          onConfirm={() => cancel.mutateAsync({})}
        >
          Cancel the job
        </ConfirmButton>
      )}
      {possible.retry && (
        <Button onClick={() => retry.mutate({})} loading={retry.isPending}>
          Retry
        </Button>
      )}
    </>
  );
}
