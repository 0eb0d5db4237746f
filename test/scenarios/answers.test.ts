import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoProduct } from '../../src/demo/deployment/demoProduct.ts';
import { isObject } from '../../src/foundation/schema/json.ts';
import type { Courier } from '../../src/webhooks/delivery/courier.ts';
import type { Answer, Fields, Part } from '../support/server/client.ts';
import type { DescribedOperation, OpenapiDocument } from '../support/server/openapiDocument.ts';
import { fieldsOf, objectsIn, problemsOf, resolve, schemaOf } from '../support/server/openapiDocument.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { startUpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { BROKEN, OK } from '../support/webhooks/scriptedReceiver.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
const SERVICE = { service: 'Ledger/Books.Report' };
const PASSWORD = 'a password for answers';

let steward: UpgradeServer;
let courier: Courier;
let document: OpenapiDocument;
/** The operations that were asked, as `GET /path`, and what did not fit their description. */
const asked = new Set<string>();
const problems: string[] = [];

beforeAll(async () => {
  steward = await startUpgradeServer();
  courier = steward.areas.webhooks.startCourier();
  document = (await steward.get('/openapi.json')).body;
});
afterAll(async () => {
  await steward.clock.until('the courier has stopped', courier.stop());
  await steward.close();
});

interface Asking {
  /** The values of the names in the path. */
  readonly names?: Fields;
  readonly token?: string;
  readonly headers?: Fields;
  readonly parts?: readonly Part[];
}

const operationsOf = (): readonly (readonly [method: string, path: string, operation: DescribedOperation])[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
  );

function addressOf(path: string, names: Fields): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? `no ${name}`));
}

/** Checks a success against the document, and notes that the operation was asked. */
function check(method: 'GET' | 'POST', path: string, { status, headers, text, body }: Answer): void {
  const call = `${method} ${path}`;
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`the document has no ${call}`);
  if (status !== 200) throw new Error(`${call} answered ${status}: ${text}`);
  asked.add(call);
  const type = headers.get('content-type')?.split(';')[0] ?? 'none';
  const schema = schemaOf(document, operation, '200', type);
  const value = type === 'application/json' ? body : text;
  problems.push(...problemsOf(document, schema, value, call));
}

/** Asks an operation, a resource by GET as well, and returns the body. */
async function ask(path: string, fields: Fields = {}, asking: Asking = {}): Promise<Answer['body']> {
  const { names = {}, token = steward.token, parts, headers = {} } = asking;
  const url = addressOf(path, names);
  const all = { ...fields, token };
  const posted =
    parts === undefined ? await steward.post(url, all, headers) : await steward.postParts(url, [...parts], headers);
  check('POST', path, posted);
  const isChange = path.endsWith('/settings') || path.endsWith('/mode') ? Object.keys(fields).length > 0 : false;
  if (document.paths[path]?.['get'] !== undefined && !isChange)
    check('GET', path, await steward.get(`${url}?${new URLSearchParams(all).toString()}`, headers));
  return posted.body;
}

const file = (name: string, content: string): Part => ({ name, content, fileName: `${name}.json` });

async function askAccess(): Promise<void> {
  for (const path of ['/admin', '/admin/security', '/admin/system']) await ask(path);
  // A named token grants no access.
  const administrator = { token: await steward.tokenOf('administrator') };
  const clerk = { username: 'clerk', password: PASSWORD, role: 'publisher', fullName: 'A Clerk' };
  await ask('/admin/security/users/create', clerk, administrator);
  const { token } = await ask('/admin/generateToken', { username: 'clerk', password: PASSWORD }, { token: '' });
  await ask('/admin/session', {}, { token });
  const signedIn = await steward.post('/admin/login', { username: 'clerk', password: PASSWORD, token: '' });
  check('POST', '/admin/login', signedIn);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  check('GET', '/admin/session', await steward.get('/admin/session', { cookie }));
  const names = { username: 'clerk' };
  await ask('/admin/security/users');
  await ask('/admin/security/users/{username}', {}, { names });
  await ask('/admin/security/users/{username}/edit', { fullName: 'The Clerk' }, { names, ...administrator });
  const { item } = await ask('/admin/security/tokens/create', { name: 'machine', role: 'viewer' }, administrator);
  await ask('/admin/generateToken', { username: 'clerk', password: PASSWORD, client: 'requestip' }, { token: '' });
  await ask('/admin/security/tokens');
  await ask('/admin/security/tokens/{id}/revoke', {}, { names: { id: item.id } });
  const changed = { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` };
  await ask('/admin/changePassword', changed, { token });
  const next = await ask('/admin/generateToken', { username: 'clerk', password: `${PASSWORD} 2` }, { token: '' });
  await ask('/admin/logout', {}, { token: next.token });
  await ask('/admin/security/users/{username}/revokeAll', {}, { names });
  await ask('/admin/security/users/{username}/delete', {}, { names });
  await ask('/admin/security/audit');
  await ask('/admin/security/audit/export');
}

async function askCatalog(): Promise<void> {
  await ask('/admin/services/createFolder', { folderName: 'Ledger', description: 'Books' });
  const fields = { folderName: 'Ledger', serviceName: 'Books', type: 'Report' };
  await ask('/admin/services/createService', fields);
  await ask('/admin/services/createService', { serviceName: 'Open', type: 'Map', access: 'public' });
  await ask('/admin/services');
  for (const service of [SERVICE.service, 'Open.Map', 'Ledger'])
    await ask('/admin/services/{service}', {}, { names: { service } });
  for (const verb of ['status', 'stop', 'start'])
    await ask(`/admin/services/{service}/${verb}`, {}, { names: SERVICE });
  await ask('/admin/services/{service}/edit', { description: 'All books' }, { names: SERVICE });
  await ask('/admin/services/{service}/changes', {}, { names: SERVICE });
  const exported = await ask('/admin/services/export');
  await ask('/admin/services/import', { importFile: JSON.stringify(exported), dryRun: 'true' });
  await ask('/admin/services/{service}/delete', {}, { names: { service: 'Open.Map' } });
}

/** Asks what makes and tries webhooks. Returns the id of one that accepts everything. */
async function askSubscriptions(at: string): Promise<string> {
  const make = async (name: string, hookUrl: string): Promise<string> => {
    const fields = { name, hookUrl, headers: '{"x-key":"1"}' };
    return (await ask(`${at}/create`, fields, { names: SERVICE })).webhook.id;
  };
  const id = await make('first', 'https://receiver.example/ok');
  const names = { ...SERVICE, id };
  const moved = { ...SERVICE, id: await make('moved', 'https://receiver.example/') };
  await ask(`${at}/{id}`, {}, { names });
  await ask(`${at}/{id}/notificationStatus`, {}, { names });
  await ask(`${at}/{id}/edit`, { receiverSignals: 'true' }, { names: moved });
  await ask(`${at}/{id}/edit`, { hookUrl: 'https://elsewhere.example/' }, { names: moved });
  for (const verb of ['test', 'rotateKey', 'deactivate', 'activate', 'delete'])
    await ask(`${at}/{id}/${verb}`, {}, { names: moved });
  steward.receiver.answerWith(() => BROKEN);
  await ask(`${at}/{id}/test`, {}, { names });
  steward.receiver.answerWith(() => ({ kind: 'unreachable', reason: 'no route', durationMs: 1, answer: '' }));
  await ask(`${at}/{id}/test`, {}, { names });
  return id;
}

/** Publishes, and lets time pass until the new deliveries have ended. */
async function deliver(at: string, names: Fields, publish: () => Promise<unknown>): Promise<void> {
  const ledger = async () => (await steward.post(addressOf(`${at}/{id}`, names))).body.ledger;
  const { accepted: before } = await ledger();
  await publish();
  await steward.clock.untilTrue('all deliveries have ended', async () => {
    const { accepted, pending } = await ledger();
    return accepted > before && pending === 0;
  });
}

async function askWebhooks(at: string, publish: () => Promise<unknown>): Promise<void> {
  const id = await askSubscriptions(at);
  const names = { ...SERVICE, id };
  for (const answer of [BROKEN, OK]) {
    steward.receiver.answerWith(() => answer);
    await deliver(at, names, publish);
    await ask(`${at}/{id}`, {}, { names });
    await ask(`${at}/{id}/notificationStatus`, {}, { names });
    await ask('/admin/services/webhooks/settings/preview', { numberOfFailures: '1' });
  }
  const { deliveries } = await ask(`${at}/{id}/deliveries`, {}, { names });
  expect(new Set(deliveries.map((one: { state: string }) => one.state))).toEqual(new Set(['delivered', 'failed']));
  const [delivery] = deliveries;
  const ofDelivery = { ...names, delivery: delivery.id, event: delivery.webhookMessageId };
  await ask(`${at}/{id}/deliveries/{delivery}`, {}, { names: ofDelivery });
  await ask(`${at.replace('/webhooks', '/events')}/{event}`, {}, { names: ofDelivery });
  await ask(`${at}/{id}/redeliverFailed`, { dryRun: 'true' }, { names });
  const { jobId } = await ask(`${at}/{id}/redeliverFailed`, {}, { names });
  await ask('/admin/system/jobs/{id}', {}, { names: { id: jobId } });
  await ask(`${at}/{id}/deliveries/{delivery}/redeliver`, {}, { names: ofDelivery });
  await ask(`${at}/{id}/redeliverHeld`, { dryRun: 'true' }, { names });
  await ask(at, {}, { names });
  await ask('/admin/services/webhooks');
  for (const verb of ['deactivateAll', 'activateAll', 'deleteAll']) await ask(`${at}/${verb}`, {}, { names });
}

async function askUploads(): Promise<string> {
  const licence = await ask('/admin/demo/licence');
  const parts = [file('itemFile', JSON.stringify(licence))];
  const { item } = await ask('/admin/uploads/upload', {}, { parts });
  const other = await ask('/admin/uploads/upload', {}, { parts });
  await ask('/admin/uploads');
  for (const path of ['/admin/uploads/{id}', '/admin/uploads/{id}/download'])
    await ask(path, {}, { names: { id: item.itemID } });
  await ask('/admin/uploads/{id}/delete', {}, { names: { id: other.item.itemID } });
  return item.itemID;
}

async function askJob(id: string): Promise<void> {
  const names = { id };
  await ask('/admin/system/jobs/{id}', {}, { names });
  await ask('/admin/system/jobs/{id}/messages', { f: 'json' }, { names });
  await ask('/admin/system/jobs');
  for (const resource of ['overview', 'deployment']) await ask(`/admin/system/${resource}`);
  await ask('/admin/system/upgrades');
}

const UPGRADES = '/admin/system/upgrades';

/** A patch that is paused, resumed and cancelled, one that is rolled back, and a release that fails and is retried. */
async function askUpgrades(licence: string): Promise<void> {
  await ask(UPGRADES);
  const reads = ['available', 'paths', 'installed', 'currentVersion', 'history', 'checkRollback'];
  for (const read of reads) await ask(`${UPGRADES}/${read}`);
  await ask(`${UPGRADES}/images`, { id: RELEASE });
  const manifest = await ask('/admin/demo/manifest');
  const [objects = ''] = demoProduct(undefined, { hasObjects: true }).bundles;
  const parts = [file('versionManifestFile', JSON.stringify(manifest)), file('objectsFile', objects.toString())];
  await ask(`${UPGRADES}/importManifest`, {}, { parts });
  await ask(`${UPGRADES}/declareRestorePoint`, { name: 'a snapshot' });
  await ask(`${UPGRADES}/adopt`, { versionManifest: RELEASE, dryRun: 'true' });

  const cancelled = (await ask(`${UPGRADES}/upgrade`, { versionManifest: PATCH })).job.id;
  const control = (id: string, verb: string) => ask(`/admin/system/jobs/{id}/${verb}`, {}, { names: { id } });
  await control(cancelled, 'pause');
  await steward.until(({ state }) => state === 'paused');
  await askJob(cancelled);
  await control(cancelled, 'resume');
  await control(cancelled, 'cancel');
  await steward.untilEnd();
  await askJob(cancelled);

  await ask(`${UPGRADES}/upgrade`, { versionManifest: PATCH });
  await steward.untilEnd();
  await ask(`${UPGRADES}/checkRollback`);
  await ask(`${UPGRADES}/rollback`, { versionManifest: PATCH });
  await steward.untilEnd();

  const form = await ask(`${UPGRADES}/getUpgradeSettings`, { upgradeId: RELEASE });
  await ask(`${UPGRADES}/getUpgradeSettings`, { upgradeId: PATCH });
  await ask(`${UPGRADES}/plan`, { versionManifest: RELEASE, upgradeSettings: JSON.stringify(form) });
  form.userInputs[1].value = licence;
  const wanted = { versionManifest: RELEASE, upgradeSettings: JSON.stringify(form) };
  const { planHash } = await ask(`${UPGRADES}/plan`, wanted);
  await ask('/admin/demo/faults/add', { kind: 'hookFails', hook: 'logging' });
  const failed = (await ask(`${UPGRADES}/upgrade`, { ...wanted, planHash })).job.id;
  await ask('/admin/demo/deployment');
  await steward.untilEnd();
  await askJob(failed);
  await ask(`${UPGRADES}/currentVersion`);
  await ask(`${UPGRADES}/adopt`, { versionManifest: RELEASE, dryRun: 'true' });
  await ask('/admin/demo/faults');
  await ask('/admin/demo/faults/remove', { all: 'true' });
  await control(failed, 'retry');
  await steward.untilEnd();
  const stream = await steward.get(`/admin/system/jobs/${failed}/messages?token=${steward.token}`);
  check('GET', '/admin/system/jobs/{id}/messages', stream);
  await askJob(failed);
  for (const read of reads) await ask(`${UPGRADES}/${read}`);
  await ask('/admin/uploads');
}

async function askDemo(): Promise<void> {
  await ask('/admin/demo');
  await ask('/admin/demo/faults/add', { kind: 'nodeLost', workload: 'report-scheduler', seconds: '5', times: '1' });
  await ask('/admin/demo/faults');
  await ask('/admin/demo/settings');
  await ask('/admin/demo/settings', { hookMs: '10' });
  const theme = { object: 'ConfigMap/portal-settings', field: 'data.THEME', value: 'dark' };
  await ask('/admin/demo/deployment/changeObject', theme);
  const inventory = JSON.stringify(await ask('/admin/demo/deployment'));
  await ask('/admin/demo/deployment/fill', { inventory });
  await ask('/admin/demo/deployment/reset');
  await ask('/admin/demo/receiver/behave', { name: 'mine', answer: 'slow', seconds: '1' });
  await ask('/admin/demo/receiver');
  await ask('/admin/demo/receiver/inbox', { name: 'mine' });
  await ask('/admin/demo/receiver/clear', { name: 'mine' });
}

async function askAll(): Promise<void> {
  await askAccess();
  await askCatalog();
  for (const settings of ['/admin/services/webhooks/settings', '/admin/mode']) await ask(settings);
  await ask('/admin/mode', { isReadOnly: 'true', message: 'Closed for a moment.' });
  await ask('/admin/mode', { isReadOnly: 'false' });
  await ask('/admin/services/webhooks/settings', { notificationAttempts: '1', notificationElapsedTimeInSeconds: '1' });
  const event = { event: 'book.closed', payload: '{"year":2026}' };
  await askWebhooks('/admin/services/{service}/webhooks', async () => {
    await ask('/admin/services/{service}/events', event, { names: SERVICE });
  });
  let edits = 0;
  await askWebhooks('/admin/system/webhooks', async () => {
    edits += 1;
    await ask('/admin/services/{service}/edit', { description: `Edit ${edits}` }, { names: SERVICE });
  });
  await askUpgrades(await askUploads());
  await ask('/admin/services/{service}/delete', {}, { names: SERVICE });
  await ask('/admin/services/deleteFolder', { folderName: 'Ledger' });
  await askDemo();
}

describe('[ADR6] the OpenAPI document', () => {
  test('every operation is asked, and every success fits its schema and has no field that the schema lacks', async () => {
    await askAll();
    expect([...new Set(problems)]).toEqual([]);
    const all = operationsOf().map(([method, path]) => `${method} ${path}`);
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((one) => !asked.has(one))).toEqual([]);
  });

  test('an error of every operation fits the schema of errors', async () => {
    const found: string[] = [];
    for (const [method, path, operation] of operationsOf()) {
      const url = addressOf(path, { ...SERVICE, username: 'x', id: 'x', delivery: 'x', event: 'x' });
      const { status, body } = await (method === 'GET' ? steward.anonymous.get(url) : steward.anonymous.post(url));
      expect([path, status]).toEqual([path, path.endsWith('oken') || path.endsWith('/login') ? 400 : 401]);
      const schema = schemaOf(document, operation, 'default', 'application/json');
      found.push(...problemsOf(document, schema, body, `${method} ${path}`));
    }
    expect(found).toEqual([]);
  });

  test('every operation has a unique id, a summary, a declared tag and a typed success', () => {
    const operations = operationsOf().map(([, , operation]) => operation);
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z]\w+$/i.test(id))).toEqual([]);
    const { tags } = document as unknown as { readonly tags: readonly { readonly name: string }[] };
    const names = tags.map(({ name }) => name);
    expect(operations.filter((one) => one.summary === '' || !one.tags.every((tag) => names.includes(tag)))).toEqual([]);
    const used = new Set(operations.flatMap((one) => one.tags));
    expect(names.filter((name) => !used.has(name))).toEqual([]);
    const untyped = operations.filter(({ responses }) =>
      objectsIn(responses['200']).some(
        ({ type, properties, additionalProperties }) =>
          type === 'object' && properties === undefined && additionalProperties === undefined,
      ),
    );
    expect(untyped.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('every reference leads to a definition, and every definition is used', () => {
    const references = objectsIn(document).filter(({ $ref }) => $ref !== undefined);
    expect(references.map((one) => isObject(resolve(document, one)))).not.toContain(false);
    const used = new Set(references.map(({ $ref }) => $ref));
    const defined = Object.keys(document.components.schemas);
    expect(defined.filter((name) => !used.has(`#/components/schemas/${name}`))).toEqual([]);
    expect(defined.length).toBeGreaterThan(40);
  });

  test('[REQ1] a file is only offered in a multipart form', () => {
    const upload = document.paths['/admin/uploads/upload']?.['post'];
    expect(Object.keys(upload?.requestBody?.['content'] ?? {})).toEqual(['multipart/form-data']);
    const upgrade = document.paths[`${UPGRADES}/upgrade`]?.['post'];
    expect(fieldsOf(document, upgrade, 'multipart/form-data')).toHaveProperty('licenseFile');
    expect(fieldsOf(document, upgrade, 'application/json')).not.toHaveProperty('licenseFile');
  });

  test('the check finds a missing field, a field of another type, an unknown value and a field that the schema lacks', () => {
    const schema = { $ref: '#/components/schemas/Mode' };
    const planted = { isReadOnly: 'no', status: 'done', colour: 'red' };
    expect(problemsOf(document, schema, planted)).toEqual([
      'answer.message is missing',
      'answer.isReadOnly is not of type boolean',
      'answer.status is done, not success',
      'answer.colour is not in the schema',
    ]);
    expect(problemsOf(document, schema, { isReadOnly: true, message: '' })).toEqual([]);
  });
});
