import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '../api/answers.ts';
import { get, setCsrfToken } from '../api/client.ts';
import { SESSION_KEY, isSignedOut } from '../api/queries.ts';
import { Problem } from '../parts/layout/Problem.tsx';
import { SessionContext } from './session.ts';
import { Shell } from './frame/Shell.tsx';
import { SignIn } from './SignIn.tsx';

/** How often the console looks whether the session has ended. */
const LOOK_EVERY_MS = 30_000;

/** Shows the console to a signed-in user, and the sign-in page to others. The address stays, so that one comes back to it. */
export function Gate() {
  const session = useQuery<Session>({
    queryKey: SESSION_KEY,
    async queryFn({ signal }) {
      const found = await get<Session>('/session', {}, signal);
      setCsrfToken(found.csrfToken ?? '');
      return found;
    },
    refetchInterval: LOOK_EVERY_MS,
    retry: (count, error) => !isSignedOut(error) && count < 5,
  });
  if (isSignedOut(session.error)) return <SignIn formerUser={session.data?.username} />;
  if (session.data !== undefined)
    return (
      <SessionContext value={session.data}>
        <Shell isAway={session.error !== null} />
      </SessionContext>
    );
  return (
    <Center mih="60vh">
      {session.error === null ? <Loader size="sm" /> : <Problem error={session.error} retry={session.refetch} />}
    </Center>
  );
}
