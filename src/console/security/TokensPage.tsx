import { Button, Group, Select, Table } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import { api } from '../api/operations.ts';
import { at } from '../../wire/client/call.ts';
import { useOperation, useResource } from '../api/queries.ts';
import { serviceLink } from '../links.ts';
import { ConfirmButton } from '../parts/layout/ConfirmButton.tsx';
import { Empty } from '../parts/layout/Empty.tsx';
import { PageHead } from '../parts/layout/PageHead.tsx';
import { Panel } from '../parts/layout/Panel.tsx';
import { Resource } from '../parts/layout/Resource.tsx';
import { StackedTable } from '../parts/layout/StackedTable.tsx';
import { useAddressField } from '../parts/form/addressFields.ts';
import { Icon } from '../parts/text/Icon.tsx';
import { StateLabel } from '../parts/text/StateLabel.tsx';
import { Time } from '../parts/text/Time.tsx';
import type { Token } from './answers.ts';
import { CreateToken } from './tokens/CreateToken.tsx';
import './security.css';

const READ_EVERY_MS = 10_000;
const ALL = '*';
const COLUMNS = ['Token', 'Kind', 'User', 'Role', 'Service', 'Created', 'Expires', 'Last use', 'Actions'];

const KINDS = {
  named: { text: 'Named', icon: 'key', unnamed: 'Without a name' },
  login: { text: 'Login', icon: 'users', unnamed: 'From generateToken' },
  session: { text: 'Session', icon: 'globe', unnamed: 'Browser session' },
} as const;

function Revoke({ token }: { readonly token: Token }) {
  const revoke = useOperation(at(api.access.revokeToken, token), {
    isQuiet: true,
    done: 'Revoked the token.',
  });
  const title = token.name === '' ? `Revoke a token of ${token.username}?` : `Revoke the token ${token.name}?`;
  return (
    <ConfirmButton
      title={title}
      text="Every server rejects it within a second. A person signs in again; a machine needs another token."
      isInRow
      onConfirm={() => revoke.mutateAsync(undefined)}
    >
      Revoke
    </ConfirmButton>
  );
}

function Row({ token }: { readonly token: Token }) {
  const { kind, name, username, role, createdRole, service, boundTo, created, expires, lastUsed } = token;
  return (
    <Table.Tr>
      <Table.Td>
        <span>{name === '' ? KINDS[kind].unnamed : name}</span>
        {boundTo !== '' && <div className="muted">Bound to {boundTo}</div>}
      </Table.Td>
      <Table.Td>
        <StateLabel tone="calm" icon={KINDS[kind].icon} text={KINDS[kind].text} />
      </Table.Td>
      <Table.Td data-label="User">{username}</Table.Td>
      <Table.Td data-label="Role">
        {role}
        {role !== createdRole && <div className="muted">issued as {createdRole}</div>}
      </Table.Td>
      <Table.Td data-label="Service">
        {service === '' ? (
          <span className="muted">All</span>
        ) : (
          <Link href={serviceLink(service)} className="link wrap">
            {service}
          </Link>
        )}
      </Table.Td>
      <Table.Td data-label="Created">
        <Time at={created} />
      </Table.Td>
      <Table.Td data-label="Expires">
        <Time at={expires} />
      </Table.Td>
      <Table.Td data-label="Last use">
        {lastUsed === null ? <span className="muted">Never</span> : <Time at={lastUsed} />}
      </Table.Td>
      <Table.Td>
        <div className="rowActions">
          <Revoke token={token} />
        </div>
      </Table.Td>
    </Table.Tr>
  );
}

/** Named tokens first, because they last longest; then the newest. */
function inOrder(tokens: readonly Token[]): readonly Token[] {
  return tokens.toSorted(
    (one, other) => Number(other.kind === 'named') - Number(one.kind === 'named') || other.created - one.created,
  );
}

function TokenTable({ tokens }: { readonly tokens: readonly Token[] }) {
  if (tokens.length === 0)
    return (
      <Empty
        title="No tokens match"
        text="Choose another user or kind. A machine that calls Steward needs a named token: create one."
      />
    );
  return (
    <StackedTable columns={COLUMNS}>
      {inOrder(tokens).map((token) => (
        <Row key={token.id} token={token} />
      ))}
    </StackedTable>
  );
}

interface FilterProps {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

function Filter({ label, all, value, onChange, options }: FilterProps) {
  return (
    <Select
      aria-label={label}
      searchable
      w={{ base: '100%', xs: 200 }}
      data={[{ value: ALL, label: all }, ...options]}
      value={value === '' ? ALL : value}
      onChange={(chosen) => onChange(chosen === null || chosen === ALL ? '' : chosen)}
    />
  );
}

export function TokensPage() {
  const [username, setUsername] = useAddressField('user');
  const [kind, setKind] = useAddressField('kind');
  const fields = { username: username === '' ? undefined : username };
  const tokens = useResource(api.access.tokens, { everyMs: READ_EVERY_MS, fields });
  const users = useResource(api.access.users);
  const [isOpen, { open, close }] = useDisclosure();
  const names = users.data?.users.map((user) => ({ value: user.username, label: user.username })) ?? [];
  const kinds = Object.entries(KINDS).map(([value, { text }]) => ({ value, label: text }));
  return (
    <>
      <PageHead
        title="Tokens"
        actions={
          <Button onClick={open} leftSection={<Icon name="plus" size={14} />}>
            Create a named token
          </Button>
        }
      />
      <Group gap="xs" mb="xs">
        <Filter label="User" all="All users" value={username} onChange={setUsername} options={names} />
        <Filter label="Kind" all="All kinds" value={kind} onChange={setKind} options={kinds} />
      </Group>
      <Panel isFlush>
        <Resource of={tokens}>
          {(found) => <TokenTable tokens={found.tokens.filter((token) => kind === '' || token.kind === kind)} />}
        </Resource>
      </Panel>
      {isOpen && <CreateToken onClose={close} />}
    </>
  );
}
