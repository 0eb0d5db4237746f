import { Group, Stack, Text } from '@mantine/core';
import type { Webhook } from '../../api/answers.ts';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { useResource } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Time } from '../../parts/text/Time.tsx';
import { useNow } from '../../parts/text/useNow.ts';
import type { FailureWindow } from '../answers.ts';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf } from '../webhookResource.ts';
import type { FailureDay } from './failureDays.ts';
import { failureDays } from './failureDays.ts';
import { dateFormat } from '../../parts/text/locale.ts';

const READ_EVERY_MS = 10_000;
const MOST_FAILED = 1000;
const BAR_HEIGHT = 64;
const DATE = dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' });

function titleOf({ from, days, failures, place }: FailureDay): string {
  const date = days === 1 ? DATE.format(from) : `${DATE.format(from)} and the ${days - 1} days after it`;
  const before = place === 'before' ? ', before the window' : '';
  return place === 'ahead' ? `${date}: still ahead` : `${date} (UTC)${before}: ${failures} failed`;
}

function DayBar({ day, most, label }: { readonly day: FailureDay; readonly most: number; readonly label: string }) {
  const height = day.failures === 0 ? 2 : Math.max(6, (day.failures / most) * BAR_HEIGHT);
  return (
    <li className="dayBar" data-place={day.place} data-failed={day.failures > 0} title={titleOf(day)}>
      <span className="count">{day.failures > 0 ? day.failures : ''}</span>
      <span className="bar" style={{ height }} />
      <span className="date">{label}</span>
      <span className="hidden">{titleOf(day)}</span>
    </li>
  );
}

function Days({ of }: { readonly of: readonly FailureDay[] }) {
  const most = Math.max(1, ...of.map(({ failures }) => failures));
  const step = Math.ceil(of.length / 8);
  return (
    <ol className="dayBars" aria-label="Failures by day (UTC)">
      {of.map((day, n) => (
        <DayBar key={day.from} day={day} most={most} label={n % step === 0 ? DATE.format(day.from) : ''} />
      ))}
    </ol>
  );
}

function Meter({ failures, allowed }: Pick<FailureWindow, 'failures' | 'allowed'>) {
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <strong className="tabular">{failures}</strong> {failures === 1 ? 'failure' : 'failures'}, limit {allowed}
        </Text>
        <Text size="sm" className="muted">
          {failures >= allowed ? 'The limit is reached' : `${allowed - failures} more deactivate the webhook`}
        </Text>
      </Group>
      <div className="meter failureMeter" data-full={failures >= allowed} data-half={failures * 2 >= allowed}>
        <span style={{ width: `${Math.min(100, (failures / allowed) * 100)}%` }} />
      </div>
    </Stack>
  );
}

function OpenWindow({ of, window }: { readonly of: WebhookKey; readonly window: FailureWindow }) {
  const now = useNow();
  const failed = useResource(at(webhooksOf(of.scope).deliveries, namesOf(of)), {
    fields: { state: 'failed', num: MOST_FAILED },
    everyMs: READ_EVERY_MS,
  });
  const { days, unknown } = failureDays(window, failed.data?.deliveries ?? [], now);
  const isCut = failed.data !== undefined && failed.data.next !== null;
  return (
    <Stack gap="md">
      <Meter failures={window.failures} allowed={window.allowed} />
      <Days of={days} />
      <Text size="sm" className="muted">
        The window began with a failure <Time at={window.startedAt} /> and ends <Time at={window.endsAt} />. Days are
        UTC days.
      </Text>
      {failed.data !== undefined && unknown > 0 && (
        <Text size="sm" className="muted">
          {isCut
            ? `Only the last ${MOST_FAILED} failed deliveries were read; earlier failures are not in the drawing.`
            : `The day of ${unknown} of these failures is not known: their deliveries were sent again or removed since, and the log keeps only the present state.`}
        </Text>
      )}
    </Stack>
  );
}

function NoWindow({ active }: Pick<Webhook, 'active'>) {
  const isAdministrator = useMay('administrator');
  const policy = useResource(api.webhooks.settings, { isEnabled: isAdministrator });
  const rule =
    policy.data === undefined
      ? 'The delivery policy says how many failures deactivate a webhook.'
      : `${policy.data.numberOfFailures} failures within ${policy.data.daysInPast} days deactivate a webhook.`;
  return (
    <Text size="sm" className="muted">
      {active
        ? 'No failure counts at present. A window begins with the next delivery that uses up all its attempts.'
        : 'No failure counts at present.'}{' '}
      {rule}
    </Text>
  );
}

/** The failures that count towards deactivation, on the days they happened. */
export function WindowPanel({ of, webhook }: { readonly of: WebhookKey; readonly webhook: Webhook }) {
  const { failureWindow, active } = webhook;
  return (
    <Panel title="Failure window">
      {failureWindow === null ? <NoWindow active={active} /> : <OpenWindow of={of} window={failureWindow} />}
    </Panel>
  );
}
