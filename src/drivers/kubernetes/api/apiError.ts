// The errors of the API server, and which of them no retry changes.
import { valueAt } from '../../../foundation/schema/json.ts';
import { sentence } from '../../../foundation/text/sentence.ts';
import type { Failure } from '../../../model/failure.ts';
import { DeploymentOutage, DeploymentRefusal } from '../../../model/failure.ts';
import { listAt, textAt } from './objectFields.ts';

/** What to do about an error that may pass. */
function adviceFor(status: number, message: string): string {
  if (/admission webhook|calling webhook/.test(message))
    return 'Repair the admission webhook that the message names, or remove it.';
  if (status === 429)
    return 'The API server limits the requests of Steward. Find out what else asks it so often, or raise its limits.';
  if (status >= 500) return 'Read the log of the API server, and correct what the error names.';
  return 'Correct what the error names.';
}

/** The server answered, and did not do what was requested. */
export class ApiError extends DeploymentOutage {
  readonly status: number;
  /** The code word of the server. */
  readonly code: string;
  /** The fields that the server names as the causes. */
  readonly fields: readonly string[];

  constructor(status: number, code: string, message: string, fields: readonly string[] = []) {
    super(message, { advice: adviceFor(status, message) }, true);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404, 405, 422]);
/** An apply of fields that the kind does not have. Older servers answer it with 500. */
const NOT_TYPED = /^failed to (?:create typed|convert new object)/;

/** Whether another try can succeed: the server is busy, restarts, or another writer came first. */
export function isTemporary(error: unknown): boolean {
  return !(error instanceof ApiError) || !(REFUSALS.has(error.status) || NOT_TYPED.test(error.message));
}

const MAX_TEXT = 200;

/** The error of an answer. `body` is what was parsed of it, `text` what it was. */
export function errorOf(status: number, body: unknown, text = ''): ApiError {
  const message = valueAt(body, 'message');
  const reason = valueAt(body, 'reason');
  const said = typeof message === 'string' && message !== '' ? message : text.slice(0, MAX_TEXT).trim();
  return new ApiError(
    status,
    typeof reason === 'string' ? reason : '',
    said === '' ? `the API server answered ${status}` : said,
    listAt(body, 'details', 'causes').map((cause) => textAt(cause, 'field')),
  );
}

/** A right that the account of Steward lacks. */
interface MissingRight {
  readonly user: string | undefined;
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  /** Undefined if it is a right in the whole cluster. */
  readonly namespace: string | undefined;
}

const FORBIDDEN =
  /(?:User "([^"]*)" )?cannot (\w+) (?:resource )?"?([\w./-]+)"?(?: in API group "([^"]*)")?(?: in the namespace "([^"]*)")?/;

/** The right that an error says is missing. An admission controller, such as that of claims or quotas, also answers 403. */
export function missingRight(error: unknown): MissingRight | undefined {
  if (!(error instanceof ApiError) || error.status !== 403) return undefined;
  const found = / cannot \w+ resource /.test(error.message) ? FORBIDDEN.exec(error.message) : undefined;
  if (!found) return undefined;
  const [, user, verb = '', resource = '', group = '', namespace] = found;
  return { user, verb, resource, group, namespace };
}

/** What to add to the Role, as docs/kubernetes.md has it. */
function forbiddenFailure(error: ApiError, right: MissingRight, what: string | undefined): Failure {
  const { user, verb, resource, group, namespace } = right;
  const account = user === undefined ? 'The account of Steward' : `The account of Steward (${user})`;
  const place = namespace === undefined ? 'in the cluster' : `in the namespace ${namespace}`;
  const needed = what === undefined ? '' : ` It is needed for ${what}.`;
  const rule = `{apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"]}`;
  return {
    reason: `${account} lacks the permission to ${verb} ${resource} ${place}: ${sentence(error.message)}${needed}`,
    lines: [],
    advice: `Add this rule to its ${namespace === undefined ? 'ClusterRole' : 'Role'}: ${rule}. docs/kubernetes.md has the whole Role.`,
  };
}

/** Turns an answer that no retry changes into a refusal. */
export function asRefusal(error: unknown, what: string): unknown {
  if (!(error instanceof ApiError) || isTemporary(error)) return error;
  const right = missingRight(error);
  if (right !== undefined) return new DeploymentRefusal(forbiddenFailure(error, right, what));
  return new DeploymentRefusal({
    reason: `The cluster refused ${what}: ${sentence(error.message)}`,
    lines: [],
    advice: /admission webhook/.test(error.message)
      ? 'Change what the admission webhook refuses, or repair or remove the webhook.'
      : 'Correct what the message names.',
  });
}

/** Turns an answer that a right is missing into a refusal; any other error stays as it is. */
export function forbiddenAsRefusal(error: unknown): unknown {
  const right = missingRight(error);
  return right === undefined || !(error instanceof ApiError)
    ? error
    : new DeploymentRefusal(forbiddenFailure(error, right, undefined));
}

export function isApiConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409;
}
