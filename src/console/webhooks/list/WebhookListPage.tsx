import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import type { Webhook } from '../../api/answers.ts';
import { useMay } from '../../api/session.ts';
import { useAddressFilter } from '../../parts/form/addressFields.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { numberText } from '../../parts/text/locale.ts';
import { HEALTH } from '../health.ts';
import { SYSTEM, scopeOf } from '../scope.ts';
import type { WebhookList } from './webhooks.ts';
import { matches, useWebhooks } from './webhooks.ts';
import { WebhookTable } from './WebhookTable.tsx';

const ALL = 'all';

function NewButton() {
  return (
    <Button component={Link} href="/webhooks/new" leftSection={<Icon name="plus" size={14} />}>
      New webhook
    </Button>
  );
}

function healthChoices(webhooks: readonly Webhook[]) {
  const count = (state: string) => webhooks.filter(({ health }) => health === state).length;
  const states = Object.entries(HEALTH).map(([value, { text }]) => ({ value, label: `${text} (${count(value)})` }));
  return [{ value: ALL, label: `Any health (${webhooks.length})` }, ...states];
}

function scopeChoices(webhooks: readonly Webhook[]) {
  const scopes = [...new Set(webhooks.map(scopeOf))].toSorted();
  return [
    { value: ALL, label: 'All services' },
    ...scopes.map((scope) => ({ value: scope, label: scope === SYSTEM ? 'System' : scope })),
  ];
}

function Filters({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const [filter, change] = useAddressFilter();
  return (
    <Group gap="xs" className="filters">
      <TextInput
        aria-label="Search webhooks"
        placeholder="Search name, address, event type or owner"
        leftSection={<Icon name="search" size={14} />}
        value={filter.get('q') ?? ''}
        onChange={({ currentTarget }) => change({ q: currentTarget.value })}
        className="grow"
      />
      <Select
        aria-label="Health"
        data={healthChoices(webhooks)}
        value={filter.get('health') ?? ALL}
        onChange={(value) => change({ health: value === ALL ? '' : (value ?? '') })}
        w={{ base: '100%', xs: 170 }}
      />
      <Select
        aria-label="Service"
        data={scopeChoices(webhooks)}
        value={filter.get('service') ?? ALL}
        onChange={(value) => change({ service: value === ALL ? '' : (value ?? '') })}
        searchable
        w={{ base: '100%', xs: 220 }}
      />
    </Group>
  );
}

function List({ of: { webhooks, isPart } }: { readonly of: WebhookList }) {
  const [filter, change] = useAddressFilter();
  if (webhooks.length === 0)
    return (
      <section className="panel">
        <Empty
          title="There are no webhooks yet"
          text="A webhook sends the events of a service to an address that you choose, signed and with retries."
          action={<NewButton />}
        />
      </section>
    );
  const [words, health, service] = ['q', 'health', 'service'].map((name) => filter.get(name) ?? '');
  const found = webhooks.filter(
    (one) =>
      (health === '' || one.health === health) &&
      (service === '' || scopeOf(one) === service) &&
      matches(one, words ?? ''),
  );
  return (
    <section className="panel" aria-label="Webhooks">
      <Filters webhooks={webhooks} />
      {found.length === 0 ? (
        <Empty
          title={isPart ? 'Looking for webhooks …' : 'No webhook matches'}
          text={isPart ? 'Not all of them have been read.' : 'Change the filter to see more.'}
          action={
            <Button variant="default" onClick={() => change({ q: '', health: '', service: '' })}>
              Clear the filter
            </Button>
          }
        />
      ) : (
        <div className="scroll">
          <WebhookTable webhooks={found} />
        </div>
      )}
    </section>
  );
}

export function WebhookListPage() {
  const webhooks = useWebhooks();
  const isAdministrator = useMay('administrator');
  const count = webhooks.data?.webhooks.length ?? 0;
  return (
    <>
      <PageHead
        title="Webhooks"
        aside={
          count > 0 && (
            <Text className="muted">
              {numberText(count)}
              {webhooks.data?.isPart === true && ' …'}
            </Text>
          )
        }
        actions={
          <>
            {isAdministrator && (
              <Button component={Link} href="/webhooks/settings" variant="default">
                Delivery policy
              </Button>
            )}
            <NewButton />
          </>
        }
      />
      <Resource of={webhooks} lines={8}>
        {(found) => <List of={found} />}
      </Resource>
    </>
  );
}
