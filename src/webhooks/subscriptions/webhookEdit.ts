// The rules of `edit`: who may change what, and what happens to the secrets of a webhook that gets another receiver.
import { StewardError } from '../../foundation/errors.ts';
import type { Sealer } from '../../foundation/sealer.ts';
import type { Actor } from '../../model/actor.ts';
import { changedValues } from '../../model/entity/field.ts';
import type { GivenValues } from '../../model/entity/field.ts';
import { WEBHOOK } from '../../model/entity/webhook.ts';
import { userOf } from '../../model/actor.ts';
import type { Webhook } from '../ports/webhookStore.ts';
import type { Secrets } from './secrets.ts';
import { newSigningSecret, rotateKey, sealSecrets, unsealSecrets } from './secrets.ts';
import { changed } from './webhook.ts';

/** What an edit asks for. Fields that are undefined keep their values. */
export interface WebhookEdit {
  readonly details: Omit<GivenValues<typeof WEBHOOK>, 'active'>;
  readonly active?: boolean | undefined;
  readonly headers?: Secrets['headers'] | undefined;
  readonly signatureKey?: string | undefined;
  /** Refuses the edit if the webhook has another revision. */
  readonly ifRevision?: number | undefined;
}

/** What happened to the secrets because `hookUrl` has another origin. */
export interface OriginChange {
  readonly from: string;
  readonly to: string;
  /** The names of the custom headers that were dropped. */
  readonly droppedHeaders: readonly string[];
  /** The generated key; undefined if the request has set one. */
  readonly signatureKey: string | undefined;
}

export interface EditedWebhook {
  readonly webhook: Webhook;
  readonly originChange: OriginChange | undefined;
}

/** Whether a person may change the secrets of a webhook, and so may see what its receiver answers, which may repeat them. */
export function mayChangeSecrets(by: Actor, { owner }: Pick<Webhook, 'owner'>): boolean {
  return by.role === 'administrator' || userOf(by.name) === userOf(owner);
}

/** The URL, the custom headers and the key belong to the owner: a person who sets the URL receives the headers. */
export function refuseOtherThanOwner(by: Actor, { owner }: Pick<Webhook, 'owner'>, fields: readonly string[]): void {
  if (fields.length === 0 || mayChangeSecrets(by, { owner })) return;
  throw new StewardError(
    'forbidden',
    `Only the owner \`${userOf(owner)}\` or an administrator may change these fields of the webhook: ${fields.join(', ')}.`,
  );
}

/** The fields of an edit that only the owner or an administrator may change. */
export function ownedFields({ hookUrl }: Webhook, { details, headers, signatureKey }: WebhookEdit): readonly string[] {
  return [
    ...(details.hookUrl === undefined || details.hookUrl === hookUrl ? [] : ['hookUrl']),
    // A value that equals the stored one is refused too: otherwise a caller could guess values.
    ...(headers === undefined ? [] : ['headers']),
    ...(signatureKey === undefined ? [] : ['signatureKey']),
  ];
}

function refuseOtherRevision({ id, revision }: Webhook, ifRevision: number | undefined): void {
  if (ifRevision === undefined || ifRevision === revision) return;
  throw new StewardError('conflict', `The webhook ${id} has revision ${revision}, not ${ifRevision}. Read it again.`);
}

/** Also for secrets whose master key is missing: they can still be replaced. */
function headerNamesOf(sealer: Sealer, sealed: string): readonly string[] {
  try {
    return Object.keys(unsealSecrets(sealer, sealed).headers);
  } catch {
    return [];
  }
}

/** Gives a new receiver new secrets. No older key signs for it, because it could replay such requests to the old receiver. */
function secretsForOtherOrigin(
  sealer: Sealer,
  found: Webhook,
  { headers, signatureKey }: WebhookEdit,
  [from, to]: readonly [string, string],
) {
  const generated = signatureKey === undefined ? newSigningSecret() : undefined;
  const keys = [{ secret: signatureKey ?? generated ?? '' }];
  const droppedHeaders = headers === undefined ? headerNamesOf(sealer, found.sealed) : [];
  const originChange: OriginChange = { from, to, droppedHeaders, signatureKey: generated };
  return { sealed: sealSecrets(sealer, { keys, headers: headers ?? {} }), originChange };
}

/**
 * Adds the key to those that sign, and replaces the headers. If the master key of the old secrets is missing, an edit that
 * sets both replaces them: this is the way to go on after that key is lost, and it drops nothing without being told.
 */
function secretsForSameOrigin(sealer: Sealer, found: Webhook, { headers, signatureKey }: WebhookEdit, now: number) {
  if (!sealer.hasKeyOf(found.sealed) && headers !== undefined && signatureKey !== undefined)
    return { sealed: sealSecrets(sealer, { keys: [{ secret: signatureKey }], headers }), originChange: undefined };
  const before = unsealSecrets(sealer, found.sealed);
  const rotated = signatureKey === undefined ? before : rotateKey(before, signatureKey, now);
  return { sealed: sealSecrets(sealer, { ...rotated, headers: headers ?? before.headers }), originChange: undefined };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Decides about an edit on the webhook as it is stored. An edit that changes nothing keeps the revision: undefined. */
export function edited(
  sealer: Sealer,
  found: Webhook,
  edit: WebhookEdit,
  { by, now }: { readonly by: Actor; readonly now: number },
): EditedWebhook | undefined {
  refuseOtherThanOwner(by, found, ownedFields(found, edit));
  refuseOtherRevision(found, edit.ifRevision);
  const given = changedValues(WEBHOOK, found, { ...edit.details, active: found.active });
  const details = { ...found, ...given };
  const origins = [new URL(found.hookUrl).origin, new URL(details.hookUrl).origin] as const;
  if (origins[0] !== origins[1]) {
    const { sealed, originChange } = secretsForOtherOrigin(sealer, found, edit, origins);
    return { webhook: changed(found, { ...given, sealed }, now), originChange };
  }
  if (edit.headers === undefined && edit.signatureKey === undefined) {
    return isSame(details, found) ? undefined : { webhook: changed(found, given, now), originChange: undefined };
  }
  const { sealed, originChange } = secretsForSameOrigin(sealer, found, edit, now);
  return { webhook: changed(found, { ...given, sealed }, now), originChange };
}
