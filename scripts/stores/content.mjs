// Fills a store over HTTP, with operations that all versions share. Where a version differs, a comment says how.
import { setTimeout as delay } from 'node:timers/promises';
import { readVersions } from './facts.mjs';
import { until } from './servers.mjs';

/** They are in several waves of a rollout, and all in the first patch of the demo. */
const KEPT_WORKLOADS = [
  'backup-agent',
  'search-index',
  'trace-collector',
  'documents',
  'insight-cache',
  'gateway-edge',
];
export const PASSWORDS = { admin: 'correct horse battery', paula: 'staple of the publisher' };
const [INTAKE, ARCHIVE, REPORT] = ['Orders/Intake.Query', 'Orders/Archive.Query', 'Orders/Report.Report'];
/** Nothing listens on port 1. The test that opens a store puts its own receiver in place of this address. */
const REFUSES = 'http://127.0.0.1:1';
const SIGNATURE_KEY = 'whsec_ZWFybGllciBzdG9yZXMgaGF2ZSBrZXlzIHRvbw==';
const HEADERS = JSON.stringify({ Authorization: 'Bearer of-the-receiver' });
/** A failed delivery ends after one attempt, and two of them deactivate a webhook. */
const STRICT = { notificationAttempts: 1, notificationElapsedTimeInSeconds: 1, numberOfFailures: 2 };
/** The policy in the store: a failed delivery stays pending for a day, and an attempt at a hanging receiver for a minute. */
const PATIENT = {
  notificationAttempts: 5,
  notificationTimeOutInSeconds: 60,
  notificationElapsedTimeInSeconds: 86_400,
  daysInPast: 9,
  numberOfFailures: 40,
};

const jsonFile = (value) => new Blob([JSON.stringify(value)], { type: 'application/json' });

/** Creates a webhook that gets the events with its own name as their type. */
async function createWebhook({ call }, notes, service, webhook, fields) {
  const made = await call(`services/${service}/webhooks/create`, {
    name: webhook,
    changeTypes: `["${webhook}"]`,
    ...fields,
  });
  const { id, signatureKey } = made.webhook;
  notes.secrets[id] = { signatureKey, headers: fields.headers === undefined ? {} : JSON.parse(fields.headers) };
  const at = `services/${service}/webhooks/${id}`;
  return {
    id,
    at,
    publish: (...payloads) =>
      call(`services/${service}/events`, {
        events: JSON.stringify(payloads.map((payload) => ({ event: webhook, payload }))),
      }),
    deliveries: async (state) => (await call(`${at}/deliveries`, { state })).deliveries,
    redeliver: (delivery) => call(`${at}/deliveries/${delivery}/redeliver`),
    attempted: (delivery, count) =>
      until(
        `${webhook} has attempted ${delivery}`,
        async () => (await call(`${at}/deliveries/${delivery}`)).attempts === count,
      ),
    counts: (wanted) =>
      until(`${webhook} has ${JSON.stringify(wanted)}`, async () => {
        const { ledger } = await call(at);
        return Object.entries(wanted).every(([state, count]) => ledger[state] === count);
      }),
  };
}

/** Waits until a job ends. Older versions call its time `ended`. */
const jobEnd = ({ call }, id) =>
  until(`job ${id} ends`, async () => {
    const job = await call(`system/jobs/${id}`);
    return job.endedAt ?? job.ended;
  });

/**
 * Leaves deliveries pending: one that was delivered and is sent again, one after a failed attempt, one in the middle of an
 * attempt, and others before one.
 */
async function addWaiting(server, receiver, notes, payloads) {
  const secrets = { headers: HEADERS, signatureKey: SIGNATURE_KEY };
  const webhook = await createWebhook(server, notes, INTAKE, 'waits', { hookUrl: `${receiver.url}/waits`, ...secrets });
  receiver.status = 200;
  await webhook.publish({ order: 1 });
  await webhook.counts({ delivered: 1 });
  receiver.status = 500;
  const [{ id }] = await webhook.deliveries('delivered');
  await webhook.redeliver(id);
  await webhook.attempted(id, 2);
  await webhook.publish({ order: 2 });
  await until('the second has failed', async () =>
    (await webhook.deliveries('pending')).some(({ attempts }) => attempts === 1),
  );
  Object.assign(receiver, { status: undefined, hanging: 0 });
  await webhook.publish(...payloads);
  await until('an attempt hangs', () => receiver.hanging > 0);
  // Versions before 1584b1c keep the secrets without these fields, and ignore them.
  await server.call(`${webhook.at}/edit`, { hookUrl: `${REFUSES}/waits`, ...secrets });
}

/** A webhook that has delivered everything, one delivery only when a job sent it again. */
async function addDelivered(server, receiver, notes) {
  const webhook = await createWebhook(server, notes, REPORT, 'works', { hookUrl: `${receiver.url}/works` });
  receiver.status = 500;
  await webhook.publish({ report: 1 });
  await webhook.counts({ failed: 1 });
  receiver.status = 200;
  await webhook.publish({ report: 2 }, { report: 3 });
  const event = { event: 'works', payload: '{"report":4}', eventId: 'report-4' };
  const { events } = await server.call(`services/${REPORT}/events`, event);
  notes.events.push({ service: REPORT, ...event, answer: events[0] });
  await webhook.counts({ delivered: 3 });
  await jobEnd(server, (await server.call(`${webhook.at}/redeliverFailed`)).jobId);
  await webhook.counts({ delivered: 4, failed: 0 });
}

/** A webhook that the policy deactivated, with failed and held deliveries. One of each is sent again, if the version can. */
async function addDeactivated(server, notes) {
  const webhook = await createWebhook(server, notes, ARCHIVE, 'fails', { hookUrl: `${REFUSES}/fails` });
  await webhook.publish(1, 2);
  await until('the webhook is deactivated', async () => !(await server.call(webhook.at)).active);
  await webhook.publish(3, 4, 5);
  await server.call('services/webhooks/settings', PATIENT);
  const [failed] = await webhook.deliveries('failed');
  const [held] = await webhook.deliveries('held');
  await webhook.redeliver(failed.id);
  try {
    await webhook.redeliver(held.id);
  } catch (error) {
    // Versions before 48c7c43 refuse this, and hold the failed one too.
    notes.refused.push(error.message);
    return;
  }
  await webhook.attempted(failed.id, 2);
  await webhook.attempted(held.id, 1);
}

/** A webhook that sends forms, and a deleted one. */
async function addOthers(server, notes) {
  const form = { contentType: 'application/x-www-form-urlencoded', signatureHeader: 'X-Form-Signature' };
  const webhook = await createWebhook(server, notes, REPORT, 'form', { hookUrl: `${REFUSES}/form`, ...form });
  await webhook.publish({ text: 'a form' });
  const deleted = await createWebhook(server, notes, REPORT, 'deleted', { hookUrl: `${REFUSES}/deleted` });
  await deleted.publish({ text: 'for a deleted webhook' });
  await server.call(`${deleted.at}/delete`);
  notes.deleted = deleted.id;
  await webhook.attempted((await webhook.deliveries('pending'))[0].id, 1);
}

async function addCatalog({ call }, notes) {
  for (const folderName of ['Orders', 'Empty']) await call('services/createFolder', { folderName });
  for (const [service, access] of [
    [INTAKE, 'public'],
    [ARCHIVE, 'private'],
    [REPORT, 'public'],
  ]) {
    const [folderName, serviceName, type] = service.split(/[/.]/);
    await call('services/createService', {
      folderName,
      serviceName,
      type,
      access,
      description: `${serviceName} of orders`,
    });
  }
  await call('security/users/create', {
    username: 'paula',
    password: PASSWORDS.paula,
    role: 'publisher',
    fullName: 'Paula',
  });
  for (const fields of [
    { name: 'nightly', role: 'publisher', service: INTAKE },
    { name: 'monitor', role: 'viewer' },
  ])
    notes.tokens.push({ ...fields, text: (await call('security/tokens/create', fields)).token });
}

/** Keeps six of the demo's workloads, and imports its versions for them and one more, so that the stores are small. */
async function shrinkDeployment({ call }) {
  const { workloads, ...deployment } = await call('demo/deployment');
  const versions = await call('demo/manifest');
  const patch = versions.find(({ update }) => update === 'patch');
  const kept = new Set(KEPT_WORKLOADS);
  const inventory = { ...deployment, workloads: workloads.filter(({ name }) => kept.has(name)) };
  await call('demo/deployment/fill', { inventory: jsonFile(inventory) });
  // Not a patch: versions before caa5c8f install the newest patch instead of the one that is named.
  const own = { ...versions.at(-1), id: 'rel_11.5', name: 'Own release 11.5', version: '11.5', build: '2500' };
  const overAny = { ...own, previousVersion: patch.version, previousBuild: '' };
  const small = [...versions, overAny].map((version) => ({
    ...version,
    containers: version.containers.filter(({ name }) => kept.has(name)),
  }));
  await call('system/upgrades/importManifest', { versionManifestFile: jsonFile(small) });
  await call('system/upgrades/adopt', { versionManifest: versions[0].id });
  return patch;
}

/** Installs a patch: once with a fault, so that it is rolled back, once to roll it back by hand, and once to keep it. */
async function addUpgrades(server, notes) {
  const { call } = server;
  const run = async (operation, versionManifest) =>
    jobEnd(server, (await call(`system/upgrades/${operation}`, { versionManifest })).job.id);
  const patch = await shrinkDeployment(server);
  await call('demo/settings', { rolloutMs: 20, hookMs: 20, databaseMs: 10 });
  await call('demo/faults/add', { kind: 'crashLoop', workload: 'documents' });
  await run('upgrade', patch.id);
  await call('demo/faults/remove', { all: true });
  await run('upgrade', patch.id);
  await run('rollback', patch.id);
  await run('upgrade', patch.id);
  notes.restorePoint = await call('system/upgrades/declareRestorePoint', { name: 'nightly dump' });
  await call('uploads/upload', { itemFile: jsonFile({ text: 'not used' }), description: 'An upload that is not used' });
}

/** Fills a store with something of everything. */
export async function fillFull(server, receiver, notes) {
  await addCatalog(server, notes);
  await server.call('services/webhooks/settings', STRICT);
  await addDelivered(server, receiver, notes);
  await addDeactivated(server, notes);
  await addOthers(server, notes);
  await addUpgrades(server, notes);
  await addWaiting(server, receiver, notes, [{ order: 3 }, { order: 4 }, { order: 5 }]);
  notes.versions = await readVersions(server);
}

/** Starts a release and returns when half of its work is done. */
export async function fillUnfinished(server, receiver, notes) {
  const { call } = server;
  await addCatalog(server, notes);
  await call('services/webhooks/settings', PATIENT);
  await addWaiting(server, receiver, notes, [{ order: 3 }]);
  await shrinkDeployment(server);
  notes.versions = await readVersions(server);
  await call('demo/settings', { rolloutMs: 1000, hookMs: 100, databaseMs: 50 });
  const { itemID } = (await call('uploads/upload', { itemFile: jsonFile(await call('demo/licence')) })).item;
  const upgradeSettings = JSON.stringify({ userInputs: [{ id: 'licenseUpload', value: itemID }] });
  const { job } = await call('system/upgrades/upgrade', { versionManifest: 'rel_11.0', upgradeSettings });
  const read = () => call(`system/jobs/${job.id}`);
  await until('half is done', async () => (({ done, total }) => done > total / 2)((await read()).progress));
  // Rollouts that start now take seconds, so that the job does not go on between the last answer and its end.
  await call('demo/settings', { rolloutMs: 8000 });
  let count = -1;
  await until('the job waits', async () => {
    const before = count;
    count = (await read()).messages.length;
    return count === before || delay(2000);
  });
  await call('demo/settings', { rolloutMs: 200 });
}
