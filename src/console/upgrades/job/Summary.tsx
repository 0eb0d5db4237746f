import { Alert, Progress, Stack, Text } from '@mantine/core';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { Panel } from '../../parts/layout/Panel.tsx';
import { useNow } from '../../parts/text/useNow.ts';
import { Time, duration } from '../../parts/text/Time.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { Job } from '../answers.ts';
import { LeftOut } from '../parts/LeftOut.tsx';
import { isActive } from '../parts/jobState.ts';
import type { NumberedMessage } from './followedJob.ts';

const LOOK_EVERY_MS = 3000;
/** Below this, the estimate is used up. */
const LEAST_LEFT_MS = 1000;
const COLOURS: Readonly<Record<string, string>> = { success: 'teal', failed: 'red', rolled_back: 'yellow' };

function leftInstalled({ state, from, to, incomplete }: Job): string {
  if (incomplete !== undefined) return `${to} is installed, but not completely.`;
  if (state === 'success') return `${to} is installed.`;
  return state === 'rolled_back'
    ? `${from} is installed, as before.`
    : `${from} is installed, and ${to} is not finished.`;
}

/** What the job has left behind, and whether the system takes writes at this time. */
function Outcome({ job }: { readonly job: Job }) {
  const mode = useResource(api.system.mode, { everyMs: LOOK_EVERY_MS });
  return (
    <Text size="sm" mt={4}>
      {leftInstalled(job)}
      {mode.data !== undefined && ` The system is ${mode.data.isReadOnly ? 'read-only' : 'open for writes'}.`}
    </Text>
  );
}

/** How it ended, in the words of its last messages: what runs now, whether writes are accepted, and what to do. */
function Ending({ job, messages }: SummaryProps) {
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  return (
    <Alert color={job.incomplete === undefined ? (COLOURS[job.state] ?? 'gray') : 'yellow'} role="status">
      <span className="lines">
        <ServerText text={last.message} />
      </span>
      <Outcome job={job} />
      <LeftOut parts={job.incomplete} />
      {job.endedAt !== null && (
        <Text size="xs" className="muted" mt={4}>
          It took {duration(job.endedAt - job.startedAt)}, started <Time at={job.startedAt} as="exact" /> by{' '}
          {job.startedBy}.
        </Text>
      )}
    </Alert>
  );
}

function Running({ job, messages }: SummaryProps) {
  const now = useNow();
  const { done, total } = job.progress;
  const step = job.steps?.find(({ state }) => state === 'running');
  const leftMs = job.estimatedEnd === null ? 0 : job.estimatedEnd - now;
  return (
    <Panel>
      <Stack gap="xs">
        <Text fw={600}>
          <ServerText text={step?.title ?? messages.at(-1)?.message ?? 'The job begins.'} />
        </Text>
        <Progress value={total === 0 ? 0 : (done / total) * 100} aria-label={`${done} of ${total} done`} />
        <Text size="sm" className="muted">
          {total > 0 && `${done} of ${total} done. `}
          {job.state === 'paused' ? 'Paused, started' : 'Running for'} {duration(now - job.startedAt)}
          {job.state === 'paused' ? ' ago' : leftMs >= LEAST_LEFT_MS && `, about ${duration(leftMs)} left`}.
          {job.pausing && ' It pauses as soon as it can.'}
          {job.cancelling && ' It is being cancelled.'}
        </Text>
      </Stack>
    </Panel>
  );
}

export interface SummaryProps {
  readonly job: Job;
  readonly messages: readonly NumberedMessage[];
}

/** The present step, or how the job ended. */
export function Summary({ job, messages }: SummaryProps) {
  return isActive(job.state) ? <Running job={job} messages={messages} /> : <Ending job={job} messages={messages} />;
}
