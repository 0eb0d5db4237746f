import { Alert, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import { SERVER } from '../../api/server.ts';
import { useMay, useSession } from '../../api/session.ts';
import { ReloadButton } from '../update/ReloadButton.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { OpenSystem } from './OpenSystem.tsx';

/** The notice of read-only mode follows the mode within two seconds. */
const LOOK_EVERY_MS = 1500;

/** While a job runs, most of what is about versions is closed. */
const OPEN_DURING_JOBS = [api.system.overview, api.upgrades.status, api.system.deployment] as const;

/** What changes the mode has changed more: a job has begun or ended. It is read again. */
function useFreshPage(isReadOnly: boolean | undefined): void {
  const client = useQueryClient();
  const before = useRef(isReadOnly);
  useEffect(() => {
    if (isReadOnly === true) for (const path of OPEN_DURING_JOBS) void client.invalidateQueries({ queryKey: [path] });
    else if (before.current === true) void client.invalidateQueries();
    before.current = isReadOnly;
  }, [client, isReadOnly]);
}

/** What concerns every page: the server is away or was updated, or the system takes no writes. */
export function Notices() {
  const mode = useResource(api.system.mode, { everyMs: LOOK_EVERY_MS });
  const isAdministrator = useMay('administrator');
  const { version } = useSession();
  useFreshPage(mode.data?.isReadOnly);
  return (
    <Stack gap="xs" aria-live="polite" className="notices">
      <ConnectionBanner />
      {version !== SERVER.version && (
        <Alert color="blue" icon={<Icon name="info" />} styles={{ wrapper: { alignItems: 'center' } }}>
          <Group justify="space-between" gap="xs">
            <span>Steward was updated to {version}. Reload to use it. Save what you have typed first.</span>
            <ReloadButton />
          </Group>
        </Alert>
      )}
      {mode.data?.isReadOnly === true && (
        <Alert color="yellow" icon={<Icon name="lock" />}>
          The system is in read-only mode:{' '}
          <ServerText text={mode.data.message || 'changes are refused until it ends.'} />{' '}
          <Link href="/upgrades" className="link">
            Upgrades
          </Link>{' '}
          {isAdministrator && <OpenSystem message={mode.data.message} />}
        </Alert>
      )}
    </Stack>
  );
}
