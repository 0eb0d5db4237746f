import { Group, Progress, Stack, Text } from '@mantine/core';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { Tone } from '../../parts/text/tone.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { Job } from '../answers.ts';
import { numberText } from '../../parts/text/locale.ts';

const READ_EVERY_MS = 1000;

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  running: ['busy', 'Queueing'],
  paused: ['warn', 'Paused'],
  succeeded: ['good', 'All queued'],
  failed: ['bad', 'Failed'],
  cancelled: ['calm', 'Cancelled'],
};

function stateOf({ state, cancelling }: Job): readonly [Tone, string] {
  if (cancelling && state === 'running') return ['busy', 'Cancelling'];
  return STATES[state] ?? ['calm', state];
}

function Bar({ job }: { readonly job: Job }) {
  const { done, total } = job.progress;
  const [tone, text] = stateOf(job);
  const cancel = useOperation(at(api.jobs.cancel, job), { isQuiet: true });
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <StateLabel tone={tone} text={text} />
        <Text size="sm" className="number">
          {numberText(done)} of {numberText(total)}
        </Text>
      </Group>
      <Progress value={total === 0 ? 100 : (done / total) * 100} aria-label="Deliveries that were queued again" />
      {job.messages.slice(-3).map(({ when, message }) => (
        <Text key={`${when} ${message}`} size="xs" className="muted">
          <ServerText text={message} />
        </Text>
      ))}
      {job.endedAt === null && !job.cancelling && (
        <Group justify="flex-end">
          <ConfirmButton
            title="Cancel this job?"
            text="Deliveries that were already sent stay sent. The others stay as they are, and you can send them later."
            onConfirm={() => cancel.mutateAsync({})}
          >
            Cancel the job
          </ConfirmButton>
        </Group>
      )}
    </Stack>
  );
}

function LiveProgress({ id }: { readonly id: string }) {
  const job = useResource(at(api.jobs.item, { id }), {
    everyMs: (last) => (last !== undefined && last.endedAt !== null ? false : READ_EVERY_MS),
  });
  if (job.data !== undefined) return <Bar job={job.data} />;
  return job.error === null ? undefined : <Problem error={job.error} retry={job.refetch} />;
}

/** The progress of a resend. Only administrators may read jobs; others see the counts of the webhook change. */
export function JobProgress({ id }: { readonly id: string }) {
  const isAdministrator = useMay('administrator');
  if (isAdministrator) return <LiveProgress id={id} />;
  return (
    <Text size="sm" className="muted">
      The job <code>{id}</code> sends them at a limited rate. The counts on this page follow it; an administrator can
      see its progress.
    </Text>
  );
}
