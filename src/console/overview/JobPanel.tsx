import { Progress, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { jobLink } from '../links.ts';
import { Empty } from '../parts/layout/Empty.tsx';
import { Panel } from '../parts/layout/Panel.tsx';
import { Time } from '../parts/text/Time.tsx';
import { JobStateLabel } from '../upgrades/parts/JobStateLabel.tsx';
import { isActive, kindName } from '../upgrades/parts/jobState.ts';
import type { OverviewJob } from './answers.ts';

function Job({ job }: { readonly job: OverviewJob }) {
  const { done, total } = job.progress;
  return (
    <Stack gap="xs">
      <Text size="sm">
        {kindName(job.kind)} from {job.from} to {job.to}, started <Time at={job.startedAt} /> by {job.startedBy}.
      </Text>
      {isActive(job.state) && (
        <Progress value={total === 0 ? 0 : (done / total) * 100} aria-label={`${done} of ${total}`} size="sm" />
      )}
      <Link href={jobLink(job.id)} className="link">
        {isActive(job.state) ? 'Watch it' : 'See what it did'}
      </Link>
    </Stack>
  );
}

/** The job that runs, or the last one. */
export function JobPanel({ job }: { readonly job: OverviewJob | null }) {
  if (job === null)
    return (
      <Panel title="Latest upgrade">
        <Empty title="No upgrade yet" text="Look at Upgrades for the versions that can be installed." />
      </Panel>
    );
  return (
    <Panel title="Latest upgrade" aside={<JobStateLabel job={job} />}>
      <Job job={job} />
    </Panel>
  );
}
