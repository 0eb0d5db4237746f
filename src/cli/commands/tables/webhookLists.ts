// Lists of webhooks. Those of services name the service, because every other command takes it.
import { isObject } from '../../../foundation/schema/json.ts';
import { listOf } from '../../output/output.ts';
import { textAt } from '../../output/values.ts';
import { table } from '../views.ts';

const COLUMNS = [
  'id',
  'name',
  'active',
  'hookUrl',
  'ledger.pending',
  'ledger.held',
  'ledger.failed',
  'lastAnswer.outcome',
];

/** The service of a webhook, as other commands take it; empty for one of the system. */
function serviceOf(webhook: unknown): string {
  const part = (name: string) => textAt(webhook, name);
  const label = `${part('serviceName')}.${part('serviceType')}`;
  if (part('serviceName') === '') return '';
  return part('folderName') === '' ? label : `${part('folderName')}/${label}`;
}

function withService(list: string) {
  return {
    name: ['service', 'id'],
    rows: (answer: unknown) =>
      listOf(answer, list)
        .filter(isObject)
        .map((one) => ({ ...one, service: serviceOf(one) })),
  };
}

export const WEBHOOKS = table(
  'webhooks',
  'id',
  ['service', ...COLUMNS],
  'There is no webhook. Create one with steward webhooks create.',
  withService('webhooks'),
);

export const SYSTEM_WEBHOOKS = table(
  'webhooks',
  'id',
  COLUMNS,
  'There is no webhook. Create one with steward system-webhooks create.',
);

export const DEACTIVATED_BY_POLICY = table(
  'wouldDeactivate',
  'id',
  ['service', 'id', 'name', 'failures', 'at'],
  'It would deactivate no webhook.',
  withService('wouldDeactivate'),
);
