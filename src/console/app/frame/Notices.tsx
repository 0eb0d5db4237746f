import { Alert, Stack } from '@mantine/core';
import { Link } from 'wouter';
import type { Mode } from '../../api/answers.ts';
import { useResource } from '../../api/queries.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import { ServerText } from '../../parts/text/ServerText.tsx';

const LOOK_EVERY_MS = 5000;

/** What concerns every page: the server is away, or the system takes no writes. */
export function Notices({ isAway }: { readonly isAway: boolean }) {
  const mode = useResource<Mode>('/mode', { everyMs: LOOK_EVERY_MS });
  const isGone = isAway || mode.error !== null;
  if (!isGone && mode.data?.isReadOnly !== true) return undefined;
  return (
    <Stack gap="xs" mb="md" aria-live="polite">
      {isGone && (
        <Alert color="red" icon={<Icon name="warning" />}>
          The server does not answer. This page shows what it last knew, and goes on by itself when the server is back.
        </Alert>
      )}
      {mode.data?.isReadOnly === true && (
        <Alert color="yellow" icon={<Icon name="lock" />}>
          The system is in read-only mode:{' '}
          <ServerText text={mode.data.message || 'changes are refused until it ends.'} />{' '}
          <Link href="/upgrades" className="link">
            Upgrades
          </Link>
        </Alert>
      )}
    </Stack>
  );
}
