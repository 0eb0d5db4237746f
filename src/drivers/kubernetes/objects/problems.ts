// What the API server refuses about an object, as problems of a plan and as failures of an act.
import { sentence } from '../../../foundation/text/sentence.ts';
import { listed } from '../../../foundation/text/listed.ts';
import type { ObjectProblem } from '../../../upgrades/ports/objects.ts';
import { DeploymentRefusal } from '../../../model/failure.ts';
import { ApiError, asRefusal, isTemporary, missingRight } from '../api/apiError.ts';

const MAX_TEXT = 600;
const IMMUTABLE = /immutable|may not (?:be )?change|cannot change|can't be changed|updates to .* (?:are )?forbidden/i;
const ESCALATION = /attempting to grant (?:RBAC permissions|extra privileges)/;
const OVER_QUOTA = /exceeded quota: ([^,\s]+)/;

/** Parts of texts of the server that have no values of an object. */
const WITHOUT_VALUES = [
  /^failed to (?:create typed patch object|convert new object to proper version)/,
  /exceeded quota: [^,\s]+/,
  /field is immutable/,
  /admission webhook "[\w.-]+"/,
];

/** What an error may say about an object. The text of the server may repeat values of a Secret, so that only its code and fields are left. */
export function withoutValues(error: unknown, isSecret: boolean): unknown {
  if (!isSecret || !(error instanceof ApiError) || missingRight(error) !== undefined) return error;
  const { status, code, message, fields } = error;
  const named = fields.filter((field) => field !== '');
  const known = WITHOUT_VALUES.flatMap((part) => part.exec(message)?.[0] ?? []);
  const about = named.length === 0 ? [] : [`about ${listed(named)}`];
  const what = [...known, ...about, `answer ${status} ${code}`.trim()].join(', ');
  return new ApiError(
    status,
    code,
    `${what}; the text of the API server is left out, because it may have values`,
    fields,
  );
}

function said({ message }: ApiError): string {
  return sentence(message.length > MAX_TEXT ? `${message.slice(0, MAX_TEXT)}…` : message);
}

function forbidden(error: ApiError, object: string): ObjectProblem {
  const refusal = asRefusal(error, object);
  if (missingRight(error) !== undefined && refusal instanceof DeploymentRefusal)
    return { kind: 'forbidden', reason: refusal.failure.reason, advice: refusal.failure.advice };
  if (ESCALATION.test(error.message))
    return {
      kind: 'forbidden',
      reason: `${object} grants rights that Steward does not have, so that the API server refuses it: ${said(error)}`,
      advice: 'Give the account of Steward these rights, too, or the verbs `escalate` and `bind` for this Role.',
    };
  const quota = OVER_QUOTA.exec(error.message)?.[1];
  if (quota !== undefined)
    return {
      kind: 'quota',
      reason: `${object} would exceed the quota ${quota}: ${said(error)}`,
      advice: `Raise the quota ${quota}, or remove what is not needed.`,
    };
  return refused(error, object);
}

function refused(error: ApiError, object: string): ObjectProblem {
  const isWebhook = /admission webhook/.test(error.message);
  return {
    kind: 'refused',
    reason: `The cluster refuses ${object}: ${said(error)}`,
    advice: isWebhook
      ? 'Change what the admission webhook refuses, or repair or remove the webhook.'
      : 'Correct the object in the version, or what the message names in the cluster.',
  };
}

function immutable(error: ApiError, object: string, changed: readonly string[]): ObjectProblem {
  const named = error.fields.filter((field) => field !== '' && field !== 'spec');
  const fields = named.length > 0 ? named : changed;
  const which = fields.length === 0 ? 'a field' : listed(fields);
  return {
    kind: 'immutable',
    reason: `${object} cannot be changed as the version wants, because ${which} cannot be changed after creation: ${said(error)}`,
    advice: `Give the object another name in the version, or remove ${object} first; Steward creates it again then.`,
  };
}

/**
 * The problem that an answer of the server is; undefined if another try may succeed. `changed` are the fields that would change, where
 * the server does not name them.
 */
export function problemOf(error: unknown, object: string, changed: readonly string[] = []): ObjectProblem | undefined {
  if (!(error instanceof ApiError) || isTemporary(error)) return undefined;
  if (error.status === 403) return forbidden(error, object);
  return error.status === 422 && IMMUTABLE.test(error.message)
    ? immutable(error, object, changed)
    : refused(error, object);
}
