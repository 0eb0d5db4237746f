import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { UpgradeStatus } from '../../api/answers.ts';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { jobLink } from '../../links.ts';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { FaultBoard } from '../demo/FaultBoard.tsx';
import { JobStateLabel } from '../parts/JobStateLabel.tsx';
import { isActive, kindName } from '../parts/jobState.ts';
import { Picture } from '../picture/Picture.tsx';
import { AdoptButton } from './AdoptButton.tsx';
import { Available } from './Available.tsx';
import { CurrentPanel } from './CurrentPanel.tsx';
import { HistoryPanel } from './HistoryPanel.tsx';
import { ImportButton } from './ImportButton.tsx';
import { RestorePointButton } from './RestorePointButton.tsx';

const LOOK_EVERY_MS = 3000;

/** Reads everything about versions again after each look at the status: others may have changed it. While a job runs, it is closed. */
function useFreshVersions(isIdle: boolean, lookedAt: number): void {
  const client = useQueryClient();
  useEffect(() => {
    if (isIdle)
      void client.invalidateQueries({
        predicate: ({ queryKey }) => String(queryKey[0]).startsWith(`${api.upgrades.status}/`),
      });
  }, [client, isIdle, lookedAt]);
}

function RunningJob({ status }: { readonly status: UpgradeStatus }) {
  const { job } = status;
  if (job === undefined) return undefined;
  return (
    <Panel title="Running now" aside={<JobStateLabel job={{ ...job, state: status.status.state }} />}>
      {kindName(job.kind)} from {job.from} to {job.to}.{' '}
      <Link href={jobLink(job.id)} className="link">
        Watch it
      </Link>
    </Panel>
  );
}

/** The versions: which one runs, which can be installed, and what was done before. */
export function VersionsPage() {
  const status = useResource(api.upgrades.status, { everyMs: LOOK_EVERY_MS });
  const isBusy = status.data !== undefined && isActive(status.data.status.state);
  useFreshVersions(status.data !== undefined && !isBusy, status.dataUpdatedAt);
  return (
    <>
      <PageHead
        title="Upgrades"
        actions={
          <>
            <AdoptButton isDisabled={isBusy} />
            <RestorePointButton isDisabled={isBusy} />
            <ImportButton isDisabled={isBusy} />
          </>
        }
      />
      <Stack gap="md">
        {isBusy && status.data !== undefined && <RunningJob status={status.data} />}
        {!isBusy && <CurrentPanel />}
        {!isBusy && <Available />}
        <Picture isBusy={isBusy} />
        <FaultBoard />
        {!isBusy && <HistoryPanel />}
      </Stack>
    </>
  );
}
