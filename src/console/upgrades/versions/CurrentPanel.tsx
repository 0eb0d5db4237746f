import { Alert, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { CurrentVersion } from '../../api/answers.ts';
import { api } from '../../api/operations.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { jobLink } from '../../links.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { Time } from '../../parts/text/Time.tsx';
import { LeftOut } from '../parts/LeftOut.tsx';

function Rollback() {
  const removable = useResource(api.upgrades.checkRollback);
  const rollback = useOperation(api.upgrades.rollback, { isQuiet: true, done: 'The rollback has started.' });
  const [version] = removable.data?.updates ?? [];
  if (version === undefined) return undefined;
  return (
    <ConfirmButton
      title={`Roll back ${version.name}?`}
      text={`The images of ${version.name} are replaced by those that ran before it. The system is read-only until the job ends.`}
      onConfirm={() => rollback.mutateAsync({ versionManifest: version.id })}
    >
      {`Roll back this ${version.update}`}
    </ConfirmButton>
  );
}

function Unfinished({ unfinished }: { readonly unfinished: NonNullable<CurrentVersion['unfinished']> }) {
  return (
    <Alert color="red" mt="md" title={`The upgrade to ${unfinished.to} is not finished`}>
      It failed after the point of no return.{' '}
      <Link href={jobLink(unfinished.jobId)} className="link">
        See why, and retry
      </Link>
    </Alert>
  );
}

/** The version that is installed. */
export function CurrentPanel() {
  const current = useResource(api.upgrades.currentVersion);
  const deployment = useResource(api.system.deployment);
  return (
    <Panel title="Installed version" aside={<Rollback />}>
      <Resource of={current} lines={2}>
        {({ known, fullVersion, installedAt, how, unfinished, simulated }) => (
          <>
            <Group gap="xs" align="baseline">
              <Text size="xl" fw={600}>
                {known ? fullVersion : 'Unknown'}
              </Text>
              {simulated && <Text className="muted">simulated deployment: upgrades change nothing real</Text>}
            </Group>
            <Text size="sm" className="muted">
              {installedAt === null ? (
                'Import a manifest and adopt the version that runs.'
              ) : (
                <>
                  {how === 'adopt' ? 'Adopted' : 'Installed'} <Time at={installedAt} />
                </>
              )}
            </Text>
            <LeftOut parts={deployment.data?.incomplete} />
            {unfinished !== null && <Unfinished unfinished={unfinished} />}
          </>
        )}
      </Resource>
    </Panel>
  );
}
