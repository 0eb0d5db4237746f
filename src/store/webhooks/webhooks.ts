import type { FailureHistory } from '../../webhooks/policy/failureWindow.ts';
import type { DeliveryPolicy } from '../../webhooks/policy/policy.ts';
import type {
  ContentType,
  Ledger,
  Webhook,
  WebhookWithLedger,
  WebhookStore,
} from '../../webhooks/ports/webhookStore.ts';
import type { Scope } from '../../model/serviceKey.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction, recordDecision } from '../transaction.ts';
import type { Row, Script, Value } from '../engine/script.ts';
import { document, integer, optionalInteger, optionalText, row, rows, text } from '../engine/script.ts';

const COLUMNS = `w.seq, w.id, w.folder, w.name, w.type, w.hook_name, w.url, w.active, w.change_types, w.content_type,
  w.sealed, w.signature_header, w.receiver_signals, w.owner, w.created_at, w.modified_at, w.revision,
  w.deactivated_reason, w.deactivated_at, w.failures`;
const LEDGER_COLUMNS = `l.accepted, l.delivered, l.failed, l.discarded, l.last_at, l.last_kind, l.last_status,
  l.last_reason, l.last_success_at`;
const SEEN = `select ${COLUMNS}, ${LEDGER_COLUMNS} from webhook w join webhook_ledger l on l.webhook_seq = w.seq
  where w.deleted_at is null`;
export const WEBHOOK = `select ${COLUMNS} from webhook w where w.deleted_at is null`;
const NAMES = `select hook_name from webhook where folder = $1 and name = $2 and type = $3 and deleted_at is null`;
const POLICY = 'select attempts, timeout_s, wait_s, days, failures from delivery_policy where id = 1';
const RESEALED_AT_ONCE = 200;

export function webhookOf(found: Row): Webhook {
  const deactivatedAt = optionalInteger(found, 'deactivated_at');
  return {
    id: text(found, 'id'),
    scope: { folder: text(found, 'folder'), name: text(found, 'name'), type: text(found, 'type') },
    name: text(found, 'hook_name'),
    hookUrl: text(found, 'url'),
    active: integer(found, 'active') === 1,
    changeTypes: document(found, 'change_types') as readonly string[],
    contentType: text(found, 'content_type') as ContentType,
    sealed: text(found, 'sealed'),
    signatureHeader: text(found, 'signature_header'),
    receiverSignals: integer(found, 'receiver_signals') === 1,
    owner: text(found, 'owner'),
    created: integer(found, 'created_at'),
    modified: integer(found, 'modified_at'),
    revision: integer(found, 'revision'),
    deactivation:
      deactivatedAt === undefined
        ? undefined
        : { reason: optionalText(found, 'deactivated_reason') ?? '', at: deactivatedAt },
    failures: document(found, 'failures') as FailureHistory,
  };
}

function ledgerOf(found: Row): Ledger {
  const lastAt = optionalInteger(found, 'last_at');
  return {
    accepted: integer(found, 'accepted'),
    delivered: integer(found, 'delivered'),
    failed: integer(found, 'failed'),
    discarded: integer(found, 'discarded'),
    last:
      lastAt === undefined
        ? undefined
        : {
            at: lastAt,
            kind: text(found, 'last_kind'),
            status: optionalInteger(found, 'last_status'),
            reason: text(found, 'last_reason'),
          },
    lastSuccess: optionalInteger(found, 'last_success_at'),
  };
}

function seenOf(found: Row): WebhookWithLedger {
  return { webhook: webhookOf(found), ledger: ledgerOf(found) };
}

function policyOf(found: Row | undefined): DeliveryPolicy {
  if (found === undefined) throw new Error('the delivery policy has no row');
  return {
    notificationAttempts: integer(found, 'attempts'),
    notificationTimeOutInSeconds: integer(found, 'timeout_s'),
    notificationElapsedTimeInSeconds: integer(found, 'wait_s'),
    daysInPast: integer(found, 'days'),
    numberOfFailures: integer(found, 'failures'),
  };
}

export function* readPolicy(): Script<DeliveryPolicy> {
  return policyOf(yield* row(POLICY));
}

/** What can change, in the order of `$1` to `$14` below. */
function valuesOf(webhook: Webhook): readonly Value[] {
  const { id, name, hookUrl, active, changeTypes, contentType, sealed, signatureHeader, receiverSignals } = webhook;
  const { modified, revision, deactivation, failures } = webhook;
  return [
    id,
    name,
    hookUrl,
    active ? 1 : 0,
    JSON.stringify(changeTypes),
    contentType,
    sealed,
    signatureHeader,
    receiverSignals ? 1 : 0,
    modified,
    revision,
    deactivation?.reason ?? null,
    deactivation?.at ?? null,
    JSON.stringify(failures),
  ];
}

function* insertWebhook(webhook: Webhook): Script<void> {
  const { scope, owner, created } = webhook;
  const made = yield* row(
    `insert into webhook (id, hook_name, url, active, change_types, content_type, sealed, signature_header,
       receiver_signals, modified_at, revision, deactivated_reason, deactivated_at, failures,
       folder, name, type, owner, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) returning seq`,
    ...valuesOf(webhook),
    scope.folder,
    scope.name,
    scope.type,
    owner,
    created,
  );
  yield* rows(
    `insert into webhook_ledger (webhook_seq, accepted, delivered, failed, discarded) values ($1, 0, 0, 0, 0)`,
    made === undefined ? null : integer(made, 'seq'),
  );
}

export function* updateWebhook(webhook: Webhook): Script<void> {
  yield* rows(
    `update webhook set hook_name = $2, url = $3, active = $4, change_types = $5, content_type = $6, sealed = $7,
       signature_header = $8, receiver_signals = $9, modified_at = $10, revision = $11, deactivated_reason = $12,
       deactivated_at = $13, failures = $14 where id = $1`,
    ...valuesOf(webhook),
  );
}

function* namesIn({ folder, name, type }: Scope, but?: string): Script<readonly string[]> {
  const found = yield* rows(NAMES, folder, name, type);
  return found.map((one) => text(one, 'hook_name')).filter((one) => one !== but);
}

/** All that waits now goes out at a measured pace, and what comes later behind it. */
function* paceRelease(number: number, now: number): Script<void> {
  yield* rows(
    `update webhook_ledger set paced_at = $2,
       paced_through = (select max(id + 0) from delivery where webhook_seq = $1 and state = 'pending')
     where webhook_seq = $1`,
    number,
    now,
  );
}

type Part = Pick<
  WebhookStore,
  | 'policy'
  | 'changePolicy'
  | 'webhooks'
  | 'webhook'
  | 'webhookByNumber'
  | 'addWebhook'
  | 'changeWebhook'
  | 'resealWebhooks'
>;

export function webhookMethods(needs: TableDependencies): Part {
  const { engine, clock } = needs;
  const { forUpdate } = engine.dialect;

  return {
    policy: async () => policyOf((await engine.query(POLICY))[0]),

    changePolicy: (by, decide) =>
      transaction(needs, { closedWhen: 'readOnly' }, function* (raise) {
        yield* raise('webhooks');
        const decision = decide(yield* readPolicy());
        const { notificationAttempts, notificationTimeOutInSeconds, notificationElapsedTimeInSeconds } =
          decision.change;
        yield* rows(
          'update delivery_policy set attempts = $1, timeout_s = $2, wait_s = $3, days = $4, failures = $5 where id = 1',
          notificationAttempts,
          notificationTimeOutInSeconds,
          notificationElapsedTimeInSeconds,
          decision.change.daysInPast,
          decision.change.numberOfFailures,
        );
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    async webhooks(scope, after, limit) {
      const isOne = typeof scope === 'object';
      const mark = after === undefined ? 0 : `(select seq from webhook where id = $${isOne ? 4 : 1})`;
      const within = isOne
        ? ' and w.folder = $1 and w.name = $2 and w.type = $3'
        : scope === 'services'
          ? ` and w.name <> ''`
          : '';
      const found = await engine.query(
        `${SEEN}${within} and w.seq > ${mark} order by w.seq limit ${limit}`,
        ...(isOne ? [scope.folder, scope.name, scope.type] : []),
        ...(after === undefined ? [] : [after]),
      );
      return found.map(seenOf);
    },

    async webhook(id) {
      const [found] = await engine.query(`${SEEN} and w.id = $1`, id);
      return found === undefined ? undefined : seenOf(found);
    },

    async webhookByNumber(number) {
      const [found] = await engine.query(`${WEBHOOK} and w.seq = $1`, number);
      return found === undefined ? undefined : webhookOf(found);
    },

    addWebhook: (by, scope, decide) =>
      transaction(needs, { closedWhen: 'readOnly' }, function* (raise) {
        yield* raise('webhooks');
        const decision = decide({ names: yield* namesIn(scope) });
        yield* insertWebhook(decision.change);
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    changeWebhook: (id, by, decide) =>
      transaction(needs, { closedWhen: 'readOnly' }, function* (raise) {
        // The ledger first, as everyone does.
        yield* rows(
          `select webhook_seq from webhook_ledger where webhook_seq = (select seq from webhook where id = $1)${forUpdate}`,
          id,
        );
        const kept = yield* row(`${WEBHOOK} and w.id = $1${forUpdate}`, id);
        const found = kept === undefined ? undefined : webhookOf(kept);
        const names = found === undefined ? [] : yield* namesIn(found.scope, found.name);
        const decision = decide({ found, names });
        if (decision.change.kind === 'none') return found;
        yield* recordDecision(by, clock.now(), decision);
        yield* raise('webhooks');
        if (decision.change.kind === 'remove') {
          yield* rows('update webhook set deleted_at = $2, active = 0 where id = $1', id, clock.now());
          return undefined;
        }
        yield* updateWebhook(decision.change.webhook);
        if (decision.change.paceRelease && kept !== undefined) yield* paceRelease(integer(kept, 'seq'), clock.now());
        return decision.change.webhook;
      }),

    async resealWebhooks(reseal) {
      let [resealed, failed, last] = [0, 0, 0];
      for (;;) {
        const page = await engine.query(
          `select seq, sealed from webhook where seq > $1 order by seq limit ${RESEALED_AT_ONCE}`,
          last,
        );
        for (const found of page) {
          const [number, sealed] = [integer(found, 'seq'), text(found, 'sealed')];
          last = number;
          let anew: string | undefined;
          try {
            anew = reseal(sealed);
          } catch {
            failed += 1;
          }
          if (anew === undefined) continue;
          resealed += 1;
          await transaction(needs, { closedWhen: 'never' }, () =>
            // Only if nobody has changed it meanwhile, with the new key then.
            rows('update webhook set sealed = $2 where seq = $1 and sealed = $3', number, anew, sealed),
          );
        }
        if (page.length < RESEALED_AT_ONCE) return { resealed, failed };
      }
    },
  };
}
