import { Alert, Button, Checkbox, Group, PasswordInput, Stack } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { passwordProblem } from '../../model/password.ts';
import { api } from '../api/operations.ts';
import { useOperation } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { PageHead } from '../parts/layout/PageHead.tsx';
import { Panel } from '../parts/layout/Panel.tsx';
import { Problem } from '../parts/layout/Problem.tsx';
import { isRefused } from '../parts/form/fieldProblem.ts';
import { Icon } from '../parts/text/Icon.tsx';
import { NewPassword } from './fields/NewPassword.tsx';

interface PasswordDraft {
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly repeated: string;
  readonly keepTokens: boolean;
}

interface PasswordFieldsProps {
  readonly draft: PasswordDraft;
  readonly onChange: (change: Partial<PasswordDraft>) => void;
  readonly error: Error | null;
}

function isRepeated({ newPassword, repeated }: PasswordDraft): boolean {
  return repeated === newPassword;
}

function PasswordFields({ draft, onChange, error }: PasswordFieldsProps) {
  return (
    <>
      <PasswordInput
        label="Current password"
        size="sm"
        required
        autoComplete="current-password"
        value={draft.currentPassword}
        onChange={({ currentTarget }) => onChange({ currentPassword: currentTarget.value })}
        error={isRefused(error, 'currentPassword')}
      />
      <NewPassword
        label="New password"
        name="newPassword"
        value={draft.newPassword}
        onChange={(newPassword) => onChange({ newPassword })}
        error={error}
      />
      <PasswordInput
        label="New password again"
        size="sm"
        required
        autoComplete="new-password"
        value={draft.repeated}
        onChange={({ currentTarget }) => onChange({ repeated: currentTarget.value })}
        error={draft.repeated !== '' && !isRepeated(draft) && 'It differs from the new password.'}
      />
      <Checkbox
        label="Keep the named tokens that I have created"
        description="Otherwise they are revoked, and the machines that use them are rejected."
        checked={draft.keepTokens}
        onChange={({ currentTarget }) => onChange({ keepTokens: currentTarget.checked })}
      />
    </>
  );
}

const EMPTY: PasswordDraft = { currentPassword: '', newPassword: '', repeated: '', keepTokens: false };

function PasswordForm() {
  const { username } = useSession();
  const [draft, setDraft] = useState(EMPTY);
  const { currentPassword, newPassword, keepTokens } = draft;
  const change = useOperation(api.access.changePassword, {
    isQuiet: true,
    done: 'The password is changed. Sign in with the new one.',
    onDone: () => setDraft(EMPTY),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ currentPassword, newPassword, keepTokens });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Alert color="gray" icon={<Icon name="info" />}>
          Afterwards all your sessions end, including this one. You sign in again with the new password.
        </Alert>
        <input type="hidden" name="username" autoComplete="username" value={username} />
        <PasswordFields
          draft={draft}
          onChange={(typed) => setDraft((before) => ({ ...before, ...typed }))}
          error={change.error}
        />
        {change.error !== null && <Problem error={change.error} />}
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={change.isPending}
            disabled={currentPassword === '' || !isRepeated(draft) || passwordProblem(newPassword) !== undefined}
          >
            Change the password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function PasswordPage() {
  return (
    <>
      <PageHead title="Own password" />
      <div style={{ maxWidth: 480 }}>
        <Panel>
          <PasswordForm />
        </Panel>
      </div>
    </>
  );
}
