// The request of every action: the only table from actions to operations.
import type { NextAction, NextActionName, UpgradeParameters } from '../../model/nextAction.ts';
import type { Address, Reading, Sending, SentFields } from '../../wire/client/call.ts';
import { at } from '../../wire/client/call.ts';
import { api } from '../api/operations.ts';

/** The texts of a form. */
type Texts = Readonly<Record<string, string>>;

/** A request below {root}. */
export type ActionRequest =
  | { readonly method: 'GET'; readonly path: Address<Reading>; readonly fields: Texts }
  | { readonly method: 'POST'; readonly path: Address<Sending>; readonly fields: Texts };

function read(path: Address<Reading>): ActionRequest {
  return { method: 'GET', path, fields: {} };
}

function post<S extends Sending>(path: Address<S>, fields: SentFields<S, never>): ActionRequest;
function post(path: Address<Sending>, fields: Readonly<Record<string, string | number | boolean>>): ActionRequest {
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
  return { method: 'POST', path, fields: Object.fromEntries(texts) };
}

type OnWebhook = Pick<NextAction<'testWebhook'>, 'parameters'>;

/** The operations on the webhook of an action, and what their paths name. */
function webhookOf({ parameters: { service, webhook } }: OnWebhook) {
  const webhooks: typeof api.serviceWebhooks = service === '' ? api.systemWebhooks : api.serviceWebhooks;
  return { webhooks, names: { service, id: webhook } };
}

/** The fields of a request to plan or to start an upgrade. */
function upgradeFields(parameters: UpgradeParameters) {
  const { versionManifest, upgradeSettings, withoutRestorePoint, afterFailure, acknowledge } = parameters;
  return {
    versionManifest,
    ...(upgradeSettings && { upgradeSettings: JSON.stringify(upgradeSettings) }),
    ...(withoutRestorePoint && { withoutRestorePoint }),
    ...(afterFailure && { afterFailure }),
    ...(acknowledge && { acknowledge: acknowledge.join(',') }),
  };
}

type Requests = { readonly [A in NextActionName]: (next: NextAction<A>) => ActionRequest | undefined };

const REQUESTS: Requests = {
  retry: ({ parameters: { job } }) => post(at(api.jobs.retry, { id: job }), {}),
  resume: ({ parameters: { job } }) => post(at(api.jobs.resume, { id: job }), {}),
  cancel: ({ parameters: { job } }) => post(at(api.jobs.cancel, { id: job }), {}),
  planAgain: ({ parameters }) => post(api.upgrades.plan, upgradeFields(parameters)),
  startAgain: ({ parameters }) => post(api.upgrades.upgrade, upgradeFields(parameters)),
  rollback: ({ parameters: { versionManifest } }) => post(api.upgrades.rollback, { versionManifest }),
  adopt: ({ parameters: { versionManifest } }) =>
    versionManifest === undefined ? undefined : post(api.upgrades.adopt, { versionManifest, force: true }),
  openForWrites: ({ parameters: { force } }) => post(api.system.mode, { isReadOnly: false, ...(force && { force }) }),
  removeFault: ({ parameters: { fault } }) => post(api.demo.removeFaults, { id: fault }),
  diagnostics: ({ parameters }) => read(parameters.of === 'deployment' ? api.system.deployment : api.system.overview),
  uploadLicence: () => undefined,
  testWebhook(next) {
    const { webhooks, names } = webhookOf(next);
    return post(at(webhooks.test, names), {});
  },
  activateWebhook(next) {
    const { webhooks, names } = webhookOf(next);
    return post(at(webhooks.activate, names), { pending: 'release' });
  },
  resendFailed(next) {
    const { webhooks, names } = webhookOf(next);
    return post(at(webhooks.redeliverFailed, names), {});
  },
  replaceSecrets: () => undefined,
};

/** The request that carries an action out; undefined if a person has to add something, such as a file. */
export function requestFor<A extends NextActionName>(next: NextAction<A>): ActionRequest | undefined {
  return REQUESTS[next.action](next);
}
