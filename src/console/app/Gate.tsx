import { Center, Loader, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { Activity, useEffect, useState } from 'react';
import type { Session } from '../api/answers.ts';
import { api } from '../api/operations.ts';
import { connection, get, isSignedOut, setCsrfToken } from '../api/client.ts';
import { SESSION_KEY, unlessAway, useOutage } from '../api/queries.ts';
import { Empty } from '../parts/layout/Empty.tsx';
import { Problem } from '../parts/layout/Problem.tsx';
import { ConnectionBanner } from './frame/ConnectionBanner.tsx';
import { SessionContext } from '../api/session.ts';
import { Shell } from './frame/Shell.tsx';
import { SignIn } from './SignIn.tsx';
import { useUpdate } from './update/useUpdate.ts';

/** How often the console looks whether the session has ended. */
const LOOK_EVERY_MS = 30_000;
/** Longer than any transition: one that is hidden before it ends would never end. */
const HIDE_AFTER_MS = 400;

/** Whether the last answer was that no one is signed in. While the next one is awaited or fails, the sign-in page keeps what was typed. */
function useIsOut({ error, status }: UseQueryResult<Session>): boolean {
  const [wasOut, setWasOut] = useState(false);
  const isOut = isSignedOut(error) || (wasOut && status !== 'success');
  if (isOut !== wasOut) setWasOut(isOut);
  return isOut;
}

/** The browser tells when it goes offline, but not whether Steward is on the same machine. */
function useOnlineEvents(): void {
  useEffect(() => {
    for (const name of ['online', 'offline']) globalThis.addEventListener(name, connection.doubt);
    return () => {
      for (const name of ['online', 'offline']) globalThis.removeEventListener(name, connection.doubt);
    };
  }, []);
}

/** Before the session is known for the first time. */
function Beginning({ of: { error, refetch } }: { readonly of: UseQueryResult<Session> }) {
  const outage = useOutage();
  if (outage === undefined)
    return (
      <Center mih="60vh">{error === null ? <Loader size="sm" /> : <Problem error={error} retry={refetch} />}</Center>
    );
  return (
    <Stack component="main" maw={680} mx="auto" p="lg">
      <ConnectionBanner />
      <Empty title="The console waits for Steward" text="It opens by itself as soon as Steward answers." />
    </Stack>
  );
}

/**
 * Shows the console to a signed-in user, and the sign-in page to others. The page of a session that has ended is hidden, and it
 * reads nothing; after the sign-in it is shown again with what was typed into it. Another user gets a new page.
 */
export function Gate() {
  const session = useQuery<Session>({
    queryKey: SESSION_KEY,
    async queryFn({ signal }) {
      const found = await get(api.access.session, {}, signal);
      setCsrfToken(found.csrfToken ?? '');
      return found;
    },
    refetchInterval: () => unlessAway(LOOK_EVERY_MS),
  });
  const { data } = session;
  useOnlineEvents();
  useUpdate(data?.version, session.dataUpdatedAt);
  const isOut = useIsOut(session);
  const [isLongOut] = useDebouncedValue(isOut, HIDE_AFTER_MS);
  return (
    <>
      {isOut && <SignIn former={data} />}
      {data !== undefined && (
        <Activity key={`${data.username} ${data.role}`} mode={isOut && isLongOut ? 'hidden' : 'visible'}>
          <SessionContext value={data}>
            <Shell />
          </SessionContext>
        </Activity>
      )}
      {!isOut && data === undefined && <Beginning of={session} />}
    </>
  );
}
