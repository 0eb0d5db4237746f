// Webhooks of services and of the system have the same operations, so their commands are made by the same functions.
import { printable } from '../../../foundation/text/printable.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import {
  deliveryOperations,
  serviceWebhookOperations,
  systemWebhookOperations,
} from '../../../wire/operations/webhookOperations.ts';
import { textAt } from '../../output/values.ts';
import type { Exit } from '../../remote/exitCodes.ts';
import { callOperation } from '../../remote/typedCall.ts';
import type { CommandRun, RemoteCommand } from '../remoteCommand.ts';
import { pathPart } from '../remoteCommand.ts';
import { watchJob } from '../watchJob.ts';
import { command, done, record, table } from '../views.ts';
import { DEACTIVATED_BY_POLICY, SYSTEM_WEBHOOKS, WEBHOOKS } from './webhookLists.ts';

type WebhookOperations = typeof serviceWebhookOperations | typeof systemWebhookOperations;

const KEY_ONCE = 'Keep the signature key. It is not shown again.';

function testText(answer: unknown): string {
  const part = (name: string) => printable(textAt(answer, 'test', name));
  const received = part('status') === '' ? '' : ` with ${part('status')}`;
  const took = `${part('durationMs')} ms`;
  if (valueAt(answer, 'delivered') === true) return `The receiver accepted the test event${received} in ${took}.\n`;
  return `The test event was not delivered (${part('outcome')}${received}, ${took}): ${part('reason')}\n`;
}

const WATCH = { flag: '--watch', description: 'follow the job that sends them to its end' };

/** Starts a job that resends, and follows it if asked to. */
async function resend(run: CommandRun): Promise<Exit> {
  const answer = await run.call();
  const id = valueAt(answer, 'jobId');
  if (run.given.extra['watch'] === true && typeof id === 'string') return watchJob(run, id);
  if (isObject(answer)) run.print(record(undefined, 'jobId'), answer, {});
  return 'done';
}

function manageCommands(at: string, who: string, operations: WebhookOperations): readonly RemoteCommand[] {
  return [
    command(`${at} create`, `${who}orders https://shop.example/hooks --change-types order.created`, operations.create, {
      arguments: ['name', 'hookUrl'],
      view: record('webhook', 'webhook.id', KEY_ONCE),
    }),
    command(`${at} show`, `${who}01JC`, operations.item),
    command(`${at} edit`, `${who}01JC --url https://shop.example/v2`, operations.edit, {
      view: record('webhook', 'webhook.id'),
    }),
    command(`${at} rm`, `${who}01JC`, operations.delete, {
      asks: 'Delete the webhook {id} with its log and its waiting deliveries?',
      view: done('Deleted. Requests still under way: {requestsUnderWay}.'),
    }),
  ];
}

function activationCommands(at: string, who: string, operations: WebhookOperations): readonly RemoteCommand[] {
  const scope = who === '' ? 'the system' : 'the service {service}';
  return [
    command(`${at} activate`, `${who}01JC --pending release`, operations.activate, {
      summary: 'activate the webhook and empty its failure window',
      view: done('Activated {webhook.name}.'),
    }),
    command(`${at} deactivate`, `${who}01JC`, operations.deactivate, {
      view: done('Deactivated {webhook.name}. Its deliveries are held.'),
    }),
    command(`${at} activate-all`, who, operations.activateAll, { view: done('Activated webhooks: {webhooks}.') }),
    command(`${at} deactivate-all`, who, operations.deactivateAll, {
      asks: `Deactivate all webhooks of ${scope}? Their deliveries are held.`,
      view: done('Deactivated webhooks: {webhooks}.'),
    }),
    command(`${at} rm-all`, who, operations.deleteAll, {
      asks: `Delete all webhooks of ${scope} with their logs and their waiting deliveries?`,
      view: done('Deleted webhooks: {webhooks}. Requests still under way: {requestsUnderWay}.'),
    }),
  ];
}

function observeCommands(at: string, who: string, operations: WebhookOperations): readonly RemoteCommand[] {
  return [
    command(`${at} test`, `${who}01JC`, operations.test, {
      outcome: (answer) => (valueAt(answer, 'delivered') === true ? 'done' : 'badOutcome'),
      view: { kind: 'text', text: testText },
    }),
    command(`${at} rotate-key`, `${who}01JC`, operations.rotateKey, {
      asks: 'Replace the signing key of the webhook {id}? The old key also signs for one day.',
      view: record(undefined, 'signatureKey', KEY_ONCE),
    }),
    command(`${at} status`, `${who}01JC`, operations.notificationStatus, { view: record(undefined, 'state') }),
  ];
}

function deliveryCommands(at: string, who: string, operations: WebhookOperations): readonly RemoteCommand[] {
  return [
    command(`${at} deliveries`, `${who}01JC --state failed`, operations.deliveries, {
      view: table(
        'deliveries',
        'id',
        ['id', 'event', 'state', 'attempts', 'created', 'ended', 'nextAttempt', 'webhookMessageId'],
        'There is no such delivery.',
      ),
    }),
    command(`${at} delivery`, `${who}01JC 42`, operations.delivery),
    command(`${at} resend`, `${who}01JC 42`, operations.redeliver, {
      view: done('The delivery {delivery.id} is {delivery.state} and is sent again.', 'delivery.id'),
    }),
    command(`${at} resend-failed`, `${who}01JC --since 2026-11-15T08:00:00Z --watch`, operations.redeliverFailed, {
      flags: [WATCH],
      run: resend,
    }),
    command(`${at} resend-held`, `${who}01JC --dry-run`, operations.redeliverHeld, { flags: [WATCH], run: resend }),
  ];
}

/** Without a service, the webhooks of all services are listed. */
async function listWebhooks({ given, connection, print }: CommandRun): Promise<Exit> {
  const { service } = given.extra;
  const { fields } = given;
  const answer =
    typeof service === 'string'
      ? await callOperation(connection, serviceWebhookOperations.list, {
          names: { service: pathPart('service', service) },
          fields,
        })
      : await callOperation(connection, deliveryOperations.all, { fields });
  print(WEBHOOKS, answer, deliveryOperations.all.answer);
  return 'done';
}

const ACCEPTED = table('events', 'id', ['id', 'eventId', 'sequence', 'deliveries', 'repeat'], 'No event was accepted.');

/** A large payload comes from a file. */
async function sendEvents({ given, call, print, readDocument }: CommandRun): Promise<Exit> {
  const { payloadFile } = given.extra;
  const payload = typeof payloadFile === 'string' && { payload: await readDocument('--payload-file', payloadFile) };
  const answer = await call({ fields: { ...given.fields, ...payload }, files: {} });
  print(ACCEPTED, answer, deliveryOperations.events.answer);
  return 'done';
}

function webhookCommands(at: string, who: string, operations: WebhookOperations): readonly RemoteCommand[] {
  return [manageCommands, activationCommands, observeCommands, deliveryCommands].flatMap((make) =>
    make(at, who, operations),
  );
}

const OF_SERVICE = 'reports/Sales.Report ';

export const SERVICE_WEBHOOK_COMMANDS: readonly RemoteCommand[] = [
  command('webhooks ls', 'reports/Sales.Report', deliveryOperations.all, {
    summary: 'Lists the webhooks of a service or of all services, oldest first.',
    arguments: ['service'],
    optional: ['service'],
    run: listWebhooks,
    view: WEBHOOKS,
  }),
  ...webhookCommands('webhooks', OF_SERVICE, serviceWebhookOperations),
  command('webhooks settings show', '', deliveryOperations.settings, {
    summary: 'Shows the delivery policy.',
    omit: Object.keys(deliveryOperations.settings.fields),
    isDefault: true,
  }),
  command('webhooks settings set', '--notification-attempts 5 --number-of-failures 10', deliveryOperations.settings, {
    summary: 'Changes the fields of the delivery policy that are given.',
  }),
  command('webhooks settings preview', '--days-in-past 3 --number-of-failures 10', deliveryOperations.preview, {
    view: DEACTIVATED_BY_POLICY,
  }),
  command(
    'events send',
    `reports/Sales.Report --event order.created --payload '{"order": 7}'`,
    deliveryOperations.events,
    {
      documents: ['events'],
      flags: [{ flag: '--payload-file <file>', description: 'a file with the payload; - reads standard input' }],
      run: sendEvents,
      view: ACCEPTED,
    },
  ),
  command('events show', 'reports/Sales.Report evt_k2v9q0x7m4t1z8a3_1c', serviceWebhookOperations.event),
];

export const SYSTEM_WEBHOOK_COMMANDS: readonly RemoteCommand[] = [
  command('system-webhooks ls', '', systemWebhookOperations.list, { view: SYSTEM_WEBHOOKS }),
  ...webhookCommands('system-webhooks', '', systemWebhookOperations),
  command('system-webhooks event', 'evt_k2v9q0x7m4t1z8a3_1c', systemWebhookOperations.event),
];
