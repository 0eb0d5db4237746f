// Webhooks, their ledgers and the delivery policy. A deleted webhook keeps its row until `retention.ts` has removed its
// deliveries, so every select here leaves it out.
import type { Scope } from '../../model/serviceKey.ts';
import type { DeliveryPolicy } from '../../model/entity/deliveryPolicy.ts';
import type { Webhook, WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import { codec, integer } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { numbers, rows } from '../engine/script.ts';
import { resealed } from '../resealed.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';
import { claims, ledgers, numberedLedgers, policies, seq, webhooks } from './webhookTables.ts';

export const withLedger = codec({ webhook: webhooks, ledger: ledgers });
export const WITH_LEDGER = `select ${webhooks.list('w')}, ${ledgers.list('l')}
  from webhook w join webhook_ledger l on l.webhook_seq = w.seq where w.deleted_at is null`;
const numberedWebhooks = codec({ number: seq, webhook: webhooks });
export const WEBHOOK = `select ${numberedWebhooks.list('w')} from webhook w where w.deleted_at is null`;
const RESEALED_AT_ONCE = 200;

const insertReturningSeq = webhooks.inserter('returning seq');
export const updateWebhook = webhooks.omit('scope', 'owner', 'created').updater(['id']);
const updatePolicy = policies.with({ id: integer('id') }).updater(['id']);
const newLedgers = numberedLedgers.omit('last', 'lastSuccess', 'pausedUntil');
const names = webhooks.pick('name');
const sealedSecrets = webhooks.pick('sealed').with({ number: seq });

export function readPolicy(): Script<DeliveryPolicy> {
  return policies.only(`${policies.select} where id = 1`);
}

function* insertWebhook(webhook: Webhook): Script<void> {
  for (const made of yield* insertReturningSeq(webhook))
    yield* newLedgers.insert({ webhook: seq.read(made), accepted: 0, delivered: 0, failed: 0, discarded: 0 });
}

function* namesIn({ folder, name, type }: Scope): Script<readonly string[]> {
  const found = yield* names.all(
    `${names.select} where folder = $1 and name = $2 and type = $3 and deleted_at is null`,
    folder,
    name,
    type,
  );
  return found.map((one) => one.name);
}

/** From now on, deliveries that are pending now go out at a pace, also those that wait for a retry, and later ones after them. */
function* paceRelease(number: number, now: number): Script<void> {
  // A later deactivation holds them like all others.
  yield* rows('update queue set sent_while_inactive = 0 where webhook_seq = $1 and sent_while_inactive = 1', number);
  yield* rows('update queue set due_at = $2 where webhook_seq = $1 and due_at > $2', number, now);
  yield* rows(
    `update webhook_ledger set paused_until = null, paced_at = $2,
       paced_through = (select max(delivery_id) from queue where webhook_seq = $1)
     where webhook_seq = $1`,
    number,
    now,
  );
}

function readWebhooks(scope: Scope | 'services' | 'all', after: string | undefined, limit: number) {
  const isOne = typeof scope === 'object';
  const mark = after === undefined ? 0 : `(select seq from webhook where id = $${isOne ? 4 : 1})`;
  const ofServices = scope === 'services' ? ` and w.name <> ''` : '';
  const within = isOne ? ' and w.folder = $1 and w.name = $2 and w.type = $3' : ofServices;
  return withLedger.all(
    `${WITH_LEDGER}${within} and w.seq > ${mark} order by w.seq limit ${limit}`,
    ...(isOne ? [scope.folder, scope.name, scope.type] : []),
    ...(after === undefined ? [] : [after]),
  );
}

export function webhookMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { forUpdate, isIn } = engine.dialect;
  const BY_NUMBER = `${WEBHOOK} and w.seq ${isIn('$1', 'bigint')}`;
  // By the claims, which are few: the queue of a webhook may be long.
  const COUNT_CLAIMED = `select count(*) from queue where delivery_id ${isIn('$2', 'bigint')} and owner is not null
    and webhook_seq in (select seq from webhook where id ${isIn('$1', 'text')})`;

  function* countClaimed(ids: readonly string[]): Script<number> {
    const claimed = (yield* claims.all(claims.select)).flatMap(({ deliveries }) => deliveries);
    const [count = 0] = yield* numbers(COUNT_CLAIMED, JSON.stringify(ids), JSON.stringify(claimed));
    return count;
  }

  return {
    policy: () => engine.read(readPolicy()),

    changePolicy: (by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* (raise) {
        yield* raise('webhooks');
        const decision = decide(yield* readPolicy());
        yield* updatePolicy({ ...decision.change, id: 1 });
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    webhooks: (scope, after, limit) => engine.read(readWebhooks(scope, after, limit)),

    webhook: (id) => engine.read(withLedger.first(`${WITH_LEDGER} and w.id = $1`, id)),

    async webhooksByNumber(wanted) {
      const found = await engine.read(numberedWebhooks.all(BY_NUMBER, JSON.stringify(wanted)));
      return new Map(found.map(({ number, webhook }) => [number, webhook]));
    },

    removedSince: (time) => engine.read(numbers('select seq from webhook where deleted_at >= $1', time)),

    countClaimed: (ids) => engine.read(countClaimed(ids)),

    addWebhook: (by, scope, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* (raise) {
        yield* raise('webhooks');
        const decision = decide({ names: yield* namesIn(scope) });
        yield* insertWebhook(decision.change);
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    changeWebhook: (id, by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* (raise) {
        // The ledger before the webhook, as in every transaction that locks both.
        yield* rows(
          `select webhook_seq from webhook_ledger where webhook_seq = (select seq from webhook where id = $1)${forUpdate}`,
          id,
        );
        const kept = yield* numberedWebhooks.first(`${WEBHOOK} and w.id = $1${forUpdate}`, id);
        const found = kept?.webhook;
        const taken = found === undefined ? [] : yield* namesIn(found.scope);
        const decision = decide({ found, names: taken.filter((name) => name !== found?.name) });
        const { change } = decision;
        if (change.kind === 'none') return found;
        yield* recordDecision(by, clock.now(), decision);
        yield* raise('webhooks');
        if (change.kind === 'remove') {
          yield* rows('update webhook set deleted_at = $2, active = 0 where id = $1', id, clock.now());
          return undefined;
        }
        yield* updateWebhook(change.webhook);
        if (change.paceRelease && kept !== undefined) yield* paceRelease(kept.number, clock.now());
        return change.webhook;
      }),

    async resealWebhooks(reseal) {
      const counts = { resealed: 0, failed: 0 };
      for (let last = 0; ;) {
        const page = await engine.read(
          sealedSecrets.all(
            `${sealedSecrets.select} where deleted_at is null and seq > $1 order by seq limit ${RESEALED_AT_ONCE}`,
            last,
          ),
        );
        for (const { number, sealed } of page) {
          last = number;
          const result = resealed(reseal, sealed);
          if (result.kind === 'failed') counts.failed += 1;
          if (result.kind === 'failed' || result.sealed === undefined) continue;
          const next = result.sealed;
          counts.resealed += 1;
          await transaction(dependencies, { closedWhen: 'never' }, () =>
            // Only if it is unchanged: a secret that was written since is sealed with the new key already.
            rows('update webhook set sealed = $2 where seq = $1 and sealed = $3', number, next, sealed),
          );
        }
        if (page.length < RESEALED_AT_ONCE) return counts;
      }
    },
  } satisfies Partial<WebhookStore>;
}
