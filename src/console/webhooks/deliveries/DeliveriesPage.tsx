import { Button, Group, Text } from '@mantine/core';
import { at } from '../../../wire/client/call.ts';
import { useResource } from '../../api/queries.ts';
import { useAddressFilter } from '../../parts/form/addressFields.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import type { DeliveryPage } from '../answers.ts';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf, useWebhook, webhookCrumbs } from '../webhookResource.ts';
import { DeliveryFilters, FILTER_NAMES } from './DeliveryFilters.tsx';
import { DeliveryTable } from './DeliveryTable.tsx';

const READ_EVERY_MS = 3000;
const PAGE = 50;

function fieldsOf(filter: URLSearchParams) {
  const given = [...FILTER_NAMES, 'before'].map((name) => [name, filter.get(name) ?? undefined] as const);
  return { ...Object.fromEntries(given), num: PAGE };
}

interface PagerProps {
  readonly page: DeliveryPage;
  readonly isFirst: boolean;
  readonly onNext: (before: string) => void;
  readonly onFirst: () => void;
}

function Pager({ page: { deliveries, next }, isFirst, onNext, onFirst }: PagerProps) {
  return (
    <Group justify="space-between" className="pager">
      <Text size="sm" className="muted">
        {deliveries.length} shown, newest first
      </Text>
      <Group gap="xs">
        {!isFirst && (
          <Button variant="default" onClick={onFirst}>
            First page
          </Button>
        )}
        <Button variant="default" disabled={next === null} onClick={() => next !== null && onNext(next)}>
          Next page
        </Button>
      </Group>
    </Group>
  );
}

function NoDeliveries({ hasMore, isFiltered }: { readonly hasMore: boolean; readonly isFiltered: boolean }) {
  if (hasMore)
    return (
      <Empty
        title="No match on this page"
        text="Older deliveries were not searched yet. Go on with the next page, or narrow the time."
      />
    );
  return isFiltered ? (
    <Empty title="No delivery matches" text="Change or clear the filter to see more." />
  ) : (
    <Empty title="No deliveries yet" text="Publish an event of the service, and its delivery appears here." />
  );
}

/** The log of a webhook, with filters in the address of the page. */
export function DeliveriesPage(key: WebhookKey) {
  const webhook = useWebhook(key, { isLive: false });
  const [filter, change] = useAddressFilter();
  const isFirst = !filter.has('before');
  const page = useResource(at(webhooksOf(key.scope).deliveries, namesOf(key)), {
    fields: fieldsOf(filter),
    everyMs: isFirst ? READ_EVERY_MS : false,
  });
  const isFiltered = FILTER_NAMES.some((name) => filter.has(name));
  return (
    <>
      <PageHead title="Deliveries" crumbs={webhookCrumbs(key, webhook.data?.name ?? 'Webhook')} />
      <section className="panel" aria-label="Deliveries">
        <DeliveryFilters filter={filter} onChange={(changes) => change({ ...changes, before: '' })} />
        <Resource of={page} lines={12}>
          {(found) => (
            <>
              {found.deliveries.length === 0 ? (
                <NoDeliveries hasMore={found.next !== null} isFiltered={isFiltered} />
              ) : (
                <div className="scroll">
                  <DeliveryTable of={key} deliveries={found.deliveries} />
                </div>
              )}
              <Pager
                page={found}
                isFirst={isFirst}
                onNext={(before) => change({ before }, { replace: false })}
                onFirst={() => change({ before: '' }, { replace: false })}
              />
            </>
          )}
        </Resource>
      </section>
    </>
  );
}
