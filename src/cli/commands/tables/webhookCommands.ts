// Webhooks of services and of the system have the same operations, so their commands are made by the same functions.
import { printable } from '../../../foundation/text/printable.ts';
import { valueAt } from '../../../foundation/schema/json.ts';
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
import { followStartedJob } from '../watchJob.ts';
import { done, record, table } from '../views.ts';
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

function testOutcome(answer: unknown): Exit {
  return valueAt(answer, 'delivered') === true ? 'done' : 'badOutcome';
}

const WATCH = { flag: '--watch', description: 'follow the job that sends them to its end' };

/** Starts a job that resends, and follows it if asked to. */
async function resend(run: CommandRun): Promise<Exit> {
  const answer = await run.call();
  return followStartedJob(run, answer, record(undefined, 'jobId'));
}

function manageCommands(at: string, who: string, operations: WebhookOperations): readonly RemoteCommand[] {
  return [
    {
      words: `${at} create`,
      operation: operations.create,
      arguments: ['name', 'hookUrl'],
      example: `${at} create${who} orders https://shop.example/hooks --change-types order.created`,
      view: record('webhook', 'webhook.id', KEY_ONCE),
    },
    { words: `${at} show`, operation: operations.item, example: `${at} show${who} 01JC`, view: record() },
    {
      words: `${at} edit`,
      operation: operations.edit,
      example: `${at} edit${who} 01JC --url https://shop.example/v2`,
      view: record('webhook', 'webhook.id'),
    },
    {
      words: `${at} rm`,
      operation: operations.delete,
      asks: 'Delete the webhook {id} with its log and its waiting deliveries?',
      example: `${at} rm${who} 01JC`,
      view: done('Deleted. Requests still under way: {requestsUnderWay}.'),
    },
  ];
}

function activationCommands(at: string, who: string, operations: WebhookOperations): readonly RemoteCommand[] {
  const scope = who === '' ? 'the system' : 'the service {service}';
  return [
    {
      words: `${at} activate`,
      operation: operations.activate,
      summary: 'activate the webhook and empty its failure window',
      example: `${at} activate${who} 01JC --pending release`,
      view: done('Activated {webhook.name}.'),
    },
    {
      words: `${at} deactivate`,
      operation: operations.deactivate,
      example: `${at} deactivate${who} 01JC`,
      view: done('Deactivated {webhook.name}. Its deliveries are held.'),
    },
    {
      words: `${at} activate-all`,
      operation: operations.activateAll,
      example: `${at} activate-all${who}`,
      view: done('Activated webhooks: {webhooks}.'),
    },
    {
      words: `${at} deactivate-all`,
      operation: operations.deactivateAll,
      asks: `Deactivate all webhooks of ${scope}? Their deliveries are held.`,
      example: `${at} deactivate-all${who}`,
      view: done('Deactivated webhooks: {webhooks}.'),
    },
    {
      words: `${at} rm-all`,
      operation: operations.deleteAll,
      asks: `Delete all webhooks of ${scope} with their logs and their waiting deliveries?`,
      example: `${at} rm-all${who}`,
      view: done('Deleted webhooks: {webhooks}. Requests still under way: {requestsUnderWay}.'),
    },
  ];
}

function observeCommands(at: string, who: string, operations: WebhookOperations): readonly RemoteCommand[] {
  return [
    {
      words: `${at} test`,
      operation: operations.test,
      example: `${at} test${who} 01JC`,
      view: { kind: 'text', text: testText },
      outcome: testOutcome,
    },
    {
      words: `${at} rotate-key`,
      operation: operations.rotateKey,
      asks: 'Replace the signing key of the webhook {id}? The old key also signs for one day.',
      example: `${at} rotate-key${who} 01JC`,
      view: record(undefined, 'signatureKey', KEY_ONCE),
    },
    {
      words: `${at} status`,
      operation: operations.notificationStatus,
      example: `${at} status${who} 01JC`,
      view: record(undefined, 'state'),
    },
  ];
}

function deliveryCommands(at: string, who: string, operations: WebhookOperations): readonly RemoteCommand[] {
  return [
    {
      words: `${at} deliveries`,
      operation: operations.deliveries,
      example: `${at} deliveries${who} 01JC --state failed`,
      view: table(
        'deliveries',
        'id',
        ['id', 'event', 'state', 'attempts', 'created', 'ended', 'nextAttempt', 'webhookMessageId'],
        'There is no such delivery.',
      ),
    },
    {
      words: `${at} delivery`,
      operation: operations.delivery,
      example: `${at} delivery${who} 01JC 42`,
      view: record(),
    },
    {
      words: `${at} resend`,
      operation: operations.redeliver,
      example: `${at} resend${who} 01JC 42`,
      view: done('The delivery {delivery.id} is {delivery.state} and is sent again.', 'delivery.id'),
    },
    {
      words: `${at} resend-failed`,
      operation: operations.redeliverFailed,
      flags: [WATCH],
      example: `${at} resend-failed${who} 01JC --since 2026-11-15T08:00:00Z --watch`,
      view: record(),
      run: resend,
    },
    {
      words: `${at} resend-held`,
      operation: operations.redeliverHeld,
      flags: [WATCH],
      example: `${at} resend-held${who} 01JC --dry-run`,
      view: record(),
      run: resend,
    },
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

const OF_SERVICE = ' reports/Sales.Report';

export const SERVICE_WEBHOOK_COMMANDS: readonly RemoteCommand[] = [
  {
    words: 'webhooks ls',
    operation: deliveryOperations.all,
    summary: 'Lists the webhooks of a service or of all services, oldest first.',
    arguments: ['service'],
    optional: ['service'],
    example: 'webhooks ls reports/Sales.Report',
    view: WEBHOOKS,
    run: listWebhooks,
  },
  ...webhookCommands('webhooks', OF_SERVICE, serviceWebhookOperations),
  {
    words: 'webhooks settings show',
    operation: deliveryOperations.settings,
    summary: 'Shows the delivery policy.',
    omit: Object.keys(deliveryOperations.settings.fields),
    isDefault: true,
    example: 'webhooks settings',
    view: record(),
  },
  {
    words: 'webhooks settings set',
    operation: deliveryOperations.settings,
    summary: 'Changes the fields of the delivery policy that are given.',
    example: 'webhooks settings set --notification-attempts 5 --number-of-failures 10',
    view: record(),
  },
  {
    words: 'webhooks settings preview',
    operation: deliveryOperations.preview,
    example: 'webhooks settings preview --days-in-past 3 --number-of-failures 10',
    view: DEACTIVATED_BY_POLICY,
  },
  {
    words: 'events send',
    operation: deliveryOperations.events,
    documents: ['events'],
    flags: [{ flag: '--payload-file <file>', description: 'a file with the payload; - reads standard input' }],
    example: `events send reports/Sales.Report --event order.created --payload '{"order": 7}'`,
    view: ACCEPTED,
    run: sendEvents,
  },
  {
    words: 'events show',
    operation: serviceWebhookOperations.event,
    example: 'events show reports/Sales.Report evt_k2v9q0x7m4t1z8a3_1c',
    view: record(),
  },
];

export const SYSTEM_WEBHOOK_COMMANDS: readonly RemoteCommand[] = [
  {
    words: 'system-webhooks ls',
    operation: systemWebhookOperations.list,
    example: 'system-webhooks ls',
    view: SYSTEM_WEBHOOKS,
  },
  ...webhookCommands('system-webhooks', '', systemWebhookOperations),
  {
    words: 'system-webhooks event',
    operation: systemWebhookOperations.event,
    example: 'system-webhooks event evt_k2v9q0x7m4t1z8a3_1c',
    view: record(),
  },
];
