import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { changesOf, hasValues, newValues, valuesOf } from '../../../model/entity/field.ts';
import { USER } from '../../../model/entity/user.ts';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { useOperation } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { EntityFields } from '../../parts/form/EntityFields.tsx';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { isRefused } from '../../parts/form/fieldProblem.ts';
import { NewPassword } from '../fields/NewPassword.tsx';
import type { User } from '../answers.ts';

export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const [username, setUsername] = useState('');
  const [details, setDetails] = useState(newValues(USER, { role: 'viewer' }));
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
      onSubmit={() => create.mutate({ username, ...details, password })}
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
      <EntityFields of={USER} values={details} onChange={setDetails} error={create.error} />
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

export function EditUser({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [details, setDetails] = useState(valuesOf(USER, user));
  const [password, setPassword] = useState('');
  const [keepTokens, setKeepTokens] = useState(false);
  const isSelf = useSession().username === user.username;
  const edit = useOperation(at(api.access.editUser, user), {
    isQuiet: true,
    done: `Changed the user ${user.username}.`,
    onDone: onClose,
  });
  const fields = {
    ...changesOf(USER, user, details),
    ...(password === '' ? {} : { password, keepTokens }),
  };
  return (
    <FormModal
      title={`Edit ${user.username}`}
      onClose={onClose}
      action="Save"
      isBusy={edit.isPending}
      canSubmit={hasValues(fields)}
      error={edit.error}
      onSubmit={() => edit.mutate(fields)}
    >
      <EntityFields of={USER} values={details} onChange={setDetails} error={edit.error} isFirst />
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
