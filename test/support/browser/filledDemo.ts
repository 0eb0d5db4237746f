import { until } from '../run/until.ts';
import type { DemoForFile } from './demoForFile.ts';

const SERVICE = 'Finance/Invoices.Query';
const HOOKS = `/services/${SERVICE}/webhooks`;

export interface PageAddress {
  readonly path: string;
  readonly title: string | RegExp;
}

/** The pages of the navigation. */
export const MAIN_PAGES: readonly PageAddress[] = [
  { path: '/', title: 'Overview' },
  { path: '/catalog', title: 'Catalog' },
  { path: '/webhooks', title: 'Webhooks' },
  { path: '/upgrades', title: 'Upgrades' },
  { path: '/users', title: 'Users' },
  { path: '/tokens', title: 'Tokens' },
  { path: '/audit', title: 'Audit log' },
  { path: '/uploads', title: 'Uploads' },
  { path: '/password', title: 'Own password' },
];

async function isQuiet(demo: DemoForFile, id: string): Promise<boolean> {
  return (await demo.must(`${HOOKS}/${id}`)).ledger.pending === 0;
}

async function fillWebhooks(demo: DemoForFile): Promise<string> {
  const { url } = await demo.must('/demo/receiver');
  await demo.must('/services/webhooks/settings', { notificationAttempts: '1', numberOfFailures: '2' });
  await demo.must('/demo/receiver/behave', { name: 'broken', answer: '500' });
  const create = async (name: string): Promise<string> =>
    (await demo.must(`${HOOKS}/create`, { name, hookUrl: `${url}/receive/${name}` })).webhook.id;
  const [ledger, broken] = [await create('ledger'), await create('broken')];
  for (const amount of [1, 2, 3]) {
    await demo.must(`/services/${SERVICE}/events`, { event: 'invoice.paid', payload: JSON.stringify({ amount }) });
    await until('the event is sent', async () => (await isQuiet(demo, ledger)) && (await isQuiet(demo, broken)));
  }
  return ledger;
}

async function installPatch(demo: DemoForFile): Promise<string> {
  const { job } = await demo.must('/system/upgrades/upgrade', { versionManifest: 'pat_10.9.1.1842' });
  await until(
    'the patch is installed',
    async () => (await demo.must('/system/upgrades')).status.state !== 'in_progress',
  );
  return job.id;
}

/** Gives every page of a demo something to show, and answers their addresses. The speed of the demo must be high. */
export async function fillDemo(demo: DemoForFile): Promise<readonly PageAddress[]> {
  const ledger = await fillWebhooks(demo);
  const job = await installPatch(demo);
  await demo.must('/security/users/create', { username: 'eva', password: 'a long enough password', role: 'publisher' });
  await demo.must('/security/tokens/create', { name: 'nightly-build', role: 'viewer' });
  await demo.client().postParts('/admin/uploads/upload', [{ name: 'itemFile', fileName: 'notes.txt', content: 'a' }]);
  const [{ id: delivery }] = (await demo.must(`${HOOKS}/${ledger}/deliveries`)).deliveries;
  const webhook = `/webhooks/${encodeURIComponent(SERVICE)}/${ledger}`;
  return [
    ...MAIN_PAGES,
    { path: `/catalog/services/${encodeURIComponent(SERVICE)}`, title: 'Invoices.Query' },
    { path: '/webhooks/new', title: 'New webhook' },
    { path: '/webhooks/settings', title: 'Delivery policy' },
    { path: webhook, title: 'ledger' },
    { path: `${webhook}/edit`, title: 'Edit' },
    { path: `${webhook}/deliveries`, title: 'Deliveries' },
    { path: `${webhook}/deliveries/${delivery}`, title: /^Delivery / },
    { path: '/upgrades/plan/rel_11.0', title: /^Plan of / },
    { path: `/upgrades/jobs/${job}`, title: /^Upgrade / },
  ];
}

/** Starts a release that fails past the point of no return, and answers its id when it has failed. */
export async function failRelease(demo: DemoForFile): Promise<string> {
  await demo.must('/demo/faults/add', { kind: 'hookFails', hook: 'search-indices' });
  await demo.must('/system/upgrades/declareRestorePoint', { name: 'nightly backup' });
  const content = JSON.stringify(await demo.must('/demo/licence'));
  const licence = [{ name: 'itemFile', fileName: 'licence.json', content }];
  const { item } = (await demo.client().postParts('/admin/uploads/upload', licence)).body;
  const { userInputs } = await demo.must('/system/upgrades/getUpgradeSettings', { upgradeId: 'rel_11.0' });
  const given = userInputs.map((one: { readonly type: string }) =>
    one.type === 'File' ? { ...one, value: item.itemID } : one,
  );
  const upgradeSettings = JSON.stringify({ userInputs: given });
  const { job } = await demo.must('/system/upgrades/upgrade', { versionManifest: 'rel_11.0', upgradeSettings });
  await until('the release fails', async () => (await demo.must(`/system/jobs/${job.id}`)).state === 'failed');
  return job.id;
}
