import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Role } from '../../api/answers.ts';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { useOperation } from '../../api/queries.ts';
import { useSession } from '../../app/session.ts';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { isRefused } from '../../parts/form/fieldProblem.ts';
import { NewPassword } from '../fields/NewPassword.tsx';
import { RoleSelect } from '../fields/RoleSelect.tsx';
import type { User } from '../answers.ts';

export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const [username, setUsername] = useState('');
  const [fullName, setFullName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [password, setPassword] = useState('');
  const create = useOperation(api.access.createUser, {
    isQuiet: true,
    done: `Created the user ${username}.`,
    onDone: onClose,
  });
  return (
    <FormModal
      title="Create a user"
      onClose={onClose}
      action="Create"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ username, fullName, role, password })}
    >
      <TextInput
        label="User name"
        required
        data-autofocus
        autoComplete="off"
        value={username}
        onChange={({ currentTarget }) => setUsername(currentTarget.value)}
        error={isRefused(create.error, 'username')}
      />
      <FullName value={fullName} onChange={setFullName} error={create.error} />
      <RoleSelect value={role} onChange={setRole} />
      <NewPassword
        label="First password"
        name="password"
        value={password}
        onChange={setPassword}
        error={create.error}
      />
    </FormModal>
  );
}

interface FullNameProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: Error | null;
}

function FullName({ value, onChange, error }: FullNameProps) {
  return (
    <TextInput
      label="Full name"
      data-autofocus
      autoComplete="off"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={isRefused(error, 'fullName')}
    />
  );
}

export function EditUser({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [fullName, setFullName] = useState(user.fullName);
  const [role, setRole] = useState(user.role);
  const [password, setPassword] = useState('');
  const [keepTokens, setKeepTokens] = useState(false);
  const isSelf = useSession().username === user.username;
  const edit = useOperation(at(api.access.editUser, user), {
    isQuiet: true,
    done: `Changed the user ${user.username}.`,
    onDone: onClose,
  });
  const fields = {
    fullName: fullName === user.fullName ? undefined : fullName,
    role: role === user.role ? undefined : role,
    ...(password === '' ? {} : { password, keepTokens }),
  };
  return (
    <FormModal
      title={`Edit ${user.username}`}
      onClose={onClose}
      action="Save"
      isBusy={edit.isPending}
      canSubmit={Object.values(fields).some((value) => value !== undefined)}
      error={edit.error}
      onSubmit={() => edit.mutate(fields)}
    >
      <FullName value={fullName} onChange={setFullName} error={edit.error} />
      <RoleSelect value={role} onChange={setRole} />
      <NewPassword
        label="New password"
        name="password"
        value={password}
        onChange={setPassword}
        isRequired={false}
        error={edit.error}
      />
      {password !== '' && (
        <Checkbox
          label="Keep the named tokens that this user has created"
          description={`A new password ends all sessions of the user${isSelf ? ', including yours: you sign in again.' : '.'}`}
          checked={keepTokens}
          onChange={({ currentTarget }) => setKeepTokens(currentTarget.checked)}
        />
      )}
    </FormModal>
  );
}
