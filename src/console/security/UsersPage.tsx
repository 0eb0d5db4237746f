import { Button, Group, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Link } from 'wouter';
import { fieldsOf } from '../../model/entity/field.ts';
import { USER } from '../../model/entity/user.ts';
import { api } from '../api/operations.ts';
import { at } from '../../wire/client/call.ts';
import { useOperation, useResource } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { ConfirmButton } from '../parts/layout/ConfirmButton.tsx';
import { PageHead } from '../parts/layout/PageHead.tsx';
import { Panel } from '../parts/layout/Panel.tsx';
import { Resource } from '../parts/layout/Resource.tsx';
import { RowButton } from '../parts/layout/RowButton.tsx';
import { StackedTable } from '../parts/layout/StackedTable.tsx';
import { Icon } from '../parts/text/Icon.tsx';
import { Time } from '../parts/text/Time.tsx';
import type { User } from './answers.ts';
import { DeleteUser } from './users/DeleteUser.tsx';
import { CreateUser, EditUser } from './users/UserForm.tsx';
import './security.css';
import { numberText } from '../parts/text/locale.ts';

/** The name of the person is below the name of the user. */
const { fullName: _, ...COLUMNS } = USER;
const LABELS = fieldsOf(COLUMNS).map(([, { label }]) => label);

interface RowProps {
  readonly user: User;
  readonly isSelf: boolean;
  readonly onEdit: (user: User) => void;
  readonly onDelete: (user: User) => void;
}

function EndSessions({ username, isSelf }: { readonly username: string; readonly isSelf: boolean }) {
  const revoke = useOperation(at(api.access.revokeAll, { username }), {
    isQuiet: true,
    done: `Ended all sessions and revoked all tokens of ${username}.`,
  });
  const self = isSelf ? ' This session ends, too: you sign in again.' : '';
  return (
    <ConfirmButton
      title={`End all sessions of ${username}?`}
      text={`All sessions of the user end, and all tokens are revoked, also named tokens of machines.${self}`}
      isInRow
      onConfirm={() => revoke.mutateAsync(undefined)}
    >
      End sessions
    </ConfirmButton>
  );
}

function RowActions({ user, isSelf, onEdit, onDelete }: RowProps) {
  const { username } = user;
  return (
    <Group gap={4} wrap="nowrap" className="rowActions">
      <RowButton component={Link} href={`/tokens?user=${encodeURIComponent(username)}`}>
        Tokens
      </RowButton>
      <RowButton onClick={() => onEdit(user)} aria-label={`Edit ${username}`}>
        Edit
      </RowButton>
      <EndSessions username={username} isSelf={isSelf} />
      <RowButton onClick={() => onDelete(user)} aria-label={`Delete ${username}`}>
        Delete
      </RowButton>
    </Group>
  );
}

function Row({ user, isSelf, onEdit, onDelete }: RowProps) {
  const { username, fullName, created, modified } = user;
  return (
    <Table.Tr>
      <Table.Td>
        <strong>{username}</strong>
        {isSelf && <span className="muted"> (you)</span>}
        {fullName !== '' && <div className="muted">{fullName}</div>}
      </Table.Td>
      {fieldsOf(COLUMNS).map(([name, field]) => (
        <Table.Td key={name} data-label={field.label}>
          {user[name]}
        </Table.Td>
      ))}
      <Table.Td data-label="Created">
        <Time at={created} as="exact" />
      </Table.Td>
      <Table.Td data-label="Last change">
        <Time at={modified} as="exact" />
      </Table.Td>
      <Table.Td>
        <RowActions user={user} isSelf={isSelf} onEdit={onEdit} onDelete={onDelete} />
      </Table.Td>
    </Table.Tr>
  );
}

function UserTable({ users }: { readonly users: readonly User[] }) {
  const self = useSession().username;
  const [edited, setEdited] = useState<User>();
  const [deleted, setDeleted] = useState<User>();
  return (
    <Panel isFlush>
      <StackedTable columns={['User', ...LABELS, 'Created', 'Last change', 'Actions']}>
        {users.map((user) => (
          <Row
            key={user.username}
            user={user}
            isSelf={user.username === self}
            onEdit={setEdited}
            onDelete={setDeleted}
          />
        ))}
      </StackedTable>
      {edited !== undefined && <EditUser user={edited} onClose={() => setEdited(undefined)} />}
      {deleted !== undefined && (
        <DeleteUser
          user={deleted}
          others={users.filter(({ username }) => username !== deleted.username)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </Panel>
  );
}

export function UsersPage() {
  const users = useResource(api.access.users);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <PageHead
        title="Users"
        aside={
          users.data !== undefined && (
            <Text size="sm" className="muted">
              {numberText(users.data.users.length)}
            </Text>
          )
        }
        actions={
          <Button onClick={open} leftSection={<Icon name="plus" size={14} />}>
            Create a user
          </Button>
        }
      />
      <Resource of={users}>{(found) => <UserTable users={found.users} />}</Resource>
      {isOpen && <CreateUser onClose={close} />}
    </>
  );
}
