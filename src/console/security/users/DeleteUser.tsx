import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { FormModal } from '../../parts/form/FormModal.tsx';
import type { User } from '../answers.ts';

export interface DeleteUserProps {
  readonly user: User;
  readonly others: readonly User[];
  readonly onClose: () => void;
}

const REVOKE = '*';

/** Deletes a user. The named tokens of the user are revoked, or another user takes them over. */
export function DeleteUser({ user, others, onClose }: DeleteUserProps) {
  const { username } = user;
  const [tokensTo, setTokensTo] = useState(REVOKE);
  const tokens = useResource(api.access.tokens, { fields: { username } });
  const named = tokens.data?.tokens.filter((token) => token.kind === 'named' && token.username === username).length;
  const remove = useOperation(at(api.access.deleteUser, { username }), {
    isQuiet: true,
    done: `Deleted the user ${username}.`,
    onDone: onClose,
  });
  return (
    <FormModal
      title={`Delete ${username}?`}
      onClose={onClose}
      action="Delete"
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate({ tokensTo: tokensTo === REVOKE ? undefined : tokensTo })}
    >
      <Text size="sm">
        The sessions of the user end at once. What the user has published stays. This cannot be undone.
      </Text>
      <Select
        label={named === undefined ? 'Named tokens' : `Named tokens (${named})`}
        data={[
          { value: REVOKE, label: 'Revoke them' },
          ...others.map((one) => ({ value: one.username, label: `Give them to ${one.username}` })),
        ]}
        value={tokensTo}
        onChange={(value) => setTokensTo(value ?? REVOKE)}
        inputWrapperOrder={['label', 'input', 'description']}
        description="Machines use named tokens. Those that you give to another user keep working with their rights."
      />
    </FormModal>
  );
}
