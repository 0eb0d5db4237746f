import { Alert } from '@mantine/core';
import { useState } from 'react';
import type { Outage } from '../../api/connection.ts';
import { useOutage } from '../../api/queries.ts';
import { serverNow } from '../../api/serverClock.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import { Time } from '../../parts/text/Time.tsx';

/** What the console does until Steward answers again. */
function consequenceOf({ kind }: Outage): string {
  return kind === 'offline'
    ? 'This page shows what it last knew, and goes on by itself when you are online again. Until then, changes fail.'
    : 'This page shows what it last knew, and goes on by itself when the server is back.';
}

function Reason({ of: outage, since }: { readonly of: Outage; readonly since: number }) {
  if (outage.kind === 'offline') return 'This browser is offline.';
  if (outage.kind === 'unavailable') return <ServerText text={`Steward cannot be used now: ${outage.message}`} />;
  return (
    <>
      {outage.kind === 'proxy' ? `A proxy answers ${outage.status} instead of Steward` : 'The server does not answer'}{' '}
      since <Time at={since} as="clock" />.
    </>
  );
}

function Content({ outage }: { readonly outage: Outage }) {
  // When it began, also if the reason changes.
  const [since] = useState(serverNow);
  return (
    <Alert color="red" icon={<Icon name="warning" />}>
      <Reason of={outage} since={since} /> {consequenceOf(outage)}
    </Alert>
  );
}

/** The only place that says that Steward cannot be used now. */
export function ConnectionBanner() {
  const outage = useOutage();
  return outage === undefined ? undefined : <Content outage={outage} />;
}
