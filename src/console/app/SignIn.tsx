import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { Session, SignedIn } from '../api/answers.ts';
import { api } from '../api/operations.ts';
import { ApiFailure, post, setCsrfToken } from '../api/client.ts';
import { SESSION_KEY } from '../api/queries.ts';
import { Logo } from '../parts/text/Logo.tsx';
import { ServerText } from '../api/ServerText.tsx';
import { ConnectionBanner } from './frame/ConnectionBanner.tsx';
import { SERVER } from '../api/server.ts';

interface Credentials {
  readonly username: string;
  readonly password: string;
}

function textIn(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

function useSignIn(former: Session | undefined) {
  const client = useQueryClient();
  return useMutation<SignedIn, Error, Credentials | 'demo'>({
    mutationFn: (given) => (given === 'demo' ? post(api.demoSignIn.login, {}) : post(api.access.login, given)),
    async onSuccess(answer) {
      setCsrfToken(answer.csrfToken);
      // Nothing that another user has read may stay, nor what the same user has read with other rights.
      if (answer.username !== former?.username || answer.role !== former.role)
        client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
      await client.refetchQueries({ queryKey: SESSION_KEY });
    },
  });
}

/** The message of a wrong password is that of the token service; its detail says what is wrong. */
function refusalOf(error: Error): string {
  return (error instanceof ApiFailure ? error.details[0] : undefined) ?? error.message;
}

export interface SignInProps {
  /** The session that has ended; undefined if none was open on this page. */
  readonly former: Session | undefined;
}

function CredentialFields({ former }: SignInProps) {
  return (
    <>
      <TextInput
        label="User name"
        name="username"
        autoComplete="username"
        required
        withAsterisk={false}
        defaultValue={former?.username}
        autoFocus={former === undefined}
      />
      <PasswordInput
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        size="sm"
        autoFocus={former !== undefined}
      />
    </>
  );
}

export function SignIn({ former }: SignInProps) {
  const signIn = useSignIn(former);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signIn.mutate({ username: textIn(form, 'username'), password: textIn(form, 'password') });
  };
  return (
    <main className="signIn">
      <form className="panel" onSubmit={submit}>
        <Stack gap="md" p="lg">
          <Logo />
          <Title order={1}>Sign in</Title>
          <ConnectionBanner />
          {former !== undefined && (
            <Alert color="yellow" role="status">
              Your session has ended. Sign in, and you are back where you were.
            </Alert>
          )}
          {signIn.error !== null && (
            <Alert color="red" role="alert">
              <ServerText text={refusalOf(signIn.error)} />
            </Alert>
          )}
          <CredentialFields former={former} />
          <Button type="submit" size="sm" loading={signIn.isPending}>
            Sign in
          </Button>
          {SERVER.hasDemoSignIn && (
            <Button size="sm" variant="default" onClick={() => signIn.mutate('demo')} disabled={signIn.isPending}>
              Continue as the demo administrator
            </Button>
          )}
          <Text size="xs" className="muted">
            Steward {SERVER.version}
          </Text>
        </Stack>
      </form>
    </main>
  );
}
