import { Alert, Group, Stack } from '@mantine/core';
import { Link } from 'wouter';
import type { Mode } from '../../api/answers.ts';
import { useResource } from '../../api/queries.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import { ServerText } from '../../parts/text/ServerText.tsx';
import { SERVER } from '../server.ts';
import { useMay, useSession } from '../session.ts';
import { ReloadButton } from '../update/ReloadButton.tsx';
import { OpenSystem } from './OpenSystem.tsx';

const LOOK_EVERY_MS = 5000;

/** What concerns every page: the server is away or was updated, or the system takes no writes. */
export function Notices({ isAway }: { readonly isAway: boolean }) {
  const mode = useResource<Mode>('/mode', { everyMs: LOOK_EVERY_MS });
  const isGone = isAway || mode.error !== null;
  const isAdministrator = useMay('administrator');
  const { version } = useSession();
  const isOutdated = version !== SERVER.version;
  if (!isGone && !isOutdated && mode.data?.isReadOnly !== true) return undefined;
  return (
    <Stack gap="xs" mb="md" aria-live="polite">
      {isGone && (
        <Alert color="red" icon={<Icon name="warning" />}>
          {navigator.onLine
            ? 'The server does not answer. This page shows what it last knew, and goes on by itself when the server is back.'
            : 'This browser is offline. This page shows what it last knew, and goes on by itself when you are online again. Until then, changes fail.'}
        </Alert>
      )}
      {isOutdated && (
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
