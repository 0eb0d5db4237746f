// `npm run screenshots`: starts a demo on a temporary folder, fills it, and writes pictures of every page of the web console, in both
// colour schemes and three widths, to build/screenshots. With `-- --readme` it writes those of the README to docs/images instead.
// Needs Debian's chromium.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { project, ready } from './ready.mjs';

const SCHEMES = ['light', 'dark'];
const WIDTHS = [360, 1280, 1600];
const HEIGHT = 900;
const SERVICE = 'Finance/Invoices.Query';
const HOOKS = `/services/${SERVICE}/webhooks`;
const WAIT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'steward-screenshots-'));
const isForReadme = process.argv.includes('--readme');
const output = isForReadme ? join(project, 'docs', 'images') : join(project, 'build', 'screenshots');

function startDemo() {
  const args = ['serve', '--demo', '--port', '0', '--data', join(folder, 'data')];
  const env = { PATH: process.env.PATH, NO_COLOR: '1', STEWARD_DEMO_RECEIVER_PORT: '0' };
  const child = spawn(process.execPath, [join(project, 'dist', 'steward.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The demo ended before it was ready:\n${text}`)));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const url = /Catalog +(\S+)\/services/.exec(text)?.[1];
      if (url !== undefined && text.includes('Stop with')) resolve({ child, url });
    });
  });
}

/** A function that sends a form to the administrative interface. */
async function administrator(url) {
  const post = async (path, fields) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ f: 'json', ...fields })) body.append(name, value);
    const response = await fetch(url + path, { method: 'POST', body });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const password = readFileSync(join(folder, 'data', 'first-password'), 'utf8').trim();
  const { token } = await post('/tokens/generateToken', { username: 'admin', password });
  return (path, fields = {}) => post(`/admin${path}`, { token, ...fields });
}

async function until(what, isTrue) {
  const giveUpAt = Date.now() + WAIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > giveUpAt) throw new Error(`Waited in vain until ${what}.`);
    await delay(100);
  }
}

async function fillWebhooks(admin) {
  const { url } = await admin('/demo/receiver');
  await admin('/services/webhooks/settings', { notificationAttempts: '1', numberOfFailures: '2' });
  await admin('/demo/receiver/behave', { name: 'archive', answer: '500' });
  const ids = [];
  for (const name of ['ledger', 'archive', 'mirror'])
    ids.push((await admin(`${HOOKS}/create`, { name, hookUrl: `${url}/receive/${name}` })).webhook.id);
  for (let amount = 1; amount <= 12; amount += 1) {
    const payload = JSON.stringify({ amount, currency: 'CHF' });
    await admin(`/services/${SERVICE}/events`, { event: 'invoice.paid', payload });
  }
  await until('all events are sent', async () => {
    const ledgers = await Promise.all(ids.map(async (id) => (await admin(`${HOOKS}/${id}`)).ledger));
    return ledgers.every(({ pending }) => pending === 0);
  });
  return { ledger: ids[0], archive: ids[1] };
}

async function installPatch(admin) {
  await admin('/demo/settings', { rolloutMs: '20', hookMs: '20', databaseMs: '20' });
  const { job } = await admin('/system/upgrades/upgrade', { versionManifest: 'pat_10.9.1.1842' });
  await until('the patch is installed', async () => (await admin('/system/upgrades')).status.state !== 'in_progress');
  return job.id;
}

/** Fills the demo. Returns the paths of all pages by the names of their pictures. */
async function fill(admin) {
  const { ledger, archive } = await fillWebhooks(admin);
  const job = await installPatch(admin);
  await admin('/security/users/create', { username: 'eva', password: 'a long enough password', role: 'publisher' });
  await admin('/security/tokens/create', { name: 'nightly-build', role: 'viewer' });
  const notes = new File(['Release notes of the next patch'], 'release-notes.txt', { type: 'text/plain' });
  await admin('/uploads/upload', { description: 'For the next patch', itemFile: notes });
  const [{ id: delivery }] = (await admin(`${HOOKS}/${ledger}/deliveries`)).deliveries;
  const webhooks = `/webhooks/${encodeURIComponent(SERVICE)}`;
  const webhook = `${webhooks}/${ledger}`;
  return {
    overview: '/',
    catalog: '/catalog',
    service: `/catalog/services/${encodeURIComponent(SERVICE)}`,
    webhooks: '/webhooks',
    newWebhook: '/webhooks/new',
    policy: '/webhooks/settings',
    webhook,
    inactiveWebhook: `${webhooks}/${archive}`,
    editWebhook: `${webhook}/edit`,
    deliveries: `${webhook}/deliveries`,
    delivery: `${webhook}/deliveries/${delivery}`,
    upgrades: '/upgrades',
    plan: '/upgrades/plan/rel_11.0',
    job: `/upgrades/jobs/${job}`,
    users: '/users',
    tokens: '/tokens',
    audit: '/audit',
    uploads: '/uploads',
    password: '/password',
  };
}

/** Starts the release of the demo, and waits until it is in the middle. Returns the path of its page. */
async function startRelease(admin) {
  await admin('/demo/settings', { rolloutMs: '4000' });
  const licence = new File([JSON.stringify(await admin('/demo/licence'))], 'licence.json');
  const { item } = await admin('/uploads/upload', { itemFile: licence });
  const { userInputs } = await admin('/system/upgrades/getUpgradeSettings', { upgradeId: 'rel_11.0' });
  const given = userInputs.map((one) => (one.type === 'File' ? { ...one, value: item.itemID } : one));
  const upgradeSettings = JSON.stringify({ userInputs: given });
  const { job } = await admin('/system/upgrades/upgrade', { versionManifest: 'rel_11.0', upgradeSettings });
  await until('the release is in the middle', async () => {
    const { workloads } = await admin('/system/deployment');
    const updated = workloads.filter(({ runs, rollout }) => runs === 'next' && rollout === null).length;
    return updated >= 20 && workloads.filter(({ rollout }) => rollout !== null && rollout.done > 0).length >= 3;
  });
  return `/upgrades/jobs/${job.id}`;
}

async function openPage(page, address) {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => undefined);
}

async function takePictures(browser, url, pages, { scheme, width }) {
  const context = await browser.newContext({
    colorScheme: scheme,
    reducedMotion: 'reduce',
    viewport: { width, height: HEIGHT },
  });
  const page = await context.newPage();
  // The window is as high as the page: what lies outside it is not drawn.
  const take = async (name) => {
    const height = await page.evaluate('document.documentElement.scrollHeight');
    await page.setViewportSize({ width, height: Math.max(height, HEIGHT) });
    await page.screenshot({ path: join(output, `${name}-${width}-${scheme}.png`), fullPage: true });
    await page.setViewportSize({ width, height: HEIGHT });
  };
  await page.goto(`${url}/console/`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await take('signIn');
  await context.request.post(`${url}/admin/demo/login`);
  for (const [name, path] of Object.entries(pages)) {
    await openPage(page, `${url}/console${path}`);
    await take(name);
  }
  await context.close();
}

/** Takes the part of a page that a reader of the README sees at first. */
async function takeView(browser, url, { name, path, scheme, height }) {
  const context = await browser.newContext({
    colorScheme: scheme,
    reducedMotion: 'reduce',
    viewport: { width: 1280, height },
  });
  await context.request.post(`${url}/admin/demo/login`);
  const page = await context.newPage();
  await openPage(page, `${url}/console${path}`);
  await page.screenshot({ path: join(output, `${name}.png`) });
  await context.close();
}

async function takeAll(browser, url, pages) {
  for (const scheme of SCHEMES) for (const width of WIDTHS) await takePictures(browser, url, pages, { scheme, width });
}

async function takeForReadme(browser, url, pages, admin) {
  await takeView(browser, url, { name: 'overview', path: pages.overview, scheme: 'light', height: 640 });
  await takeView(browser, url, { name: 'webhook', path: pages.inactiveWebhook, scheme: 'light', height: 880 });
  const path = await startRelease(admin);
  await takeView(browser, url, { name: 'upgrade', path, scheme: 'dark', height: 1080 });
}

await ready();
const { chromium } = await import('playwright-core');
mkdirSync(output, { recursive: true });
const { child, url } = await startDemo();
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  const admin = await administrator(url);
  const pages = await fill(admin);
  await (isForReadme ? takeForReadme(browser, url, pages, admin) : takeAll(browser, url, pages));
  process.stdout.write(`Wrote the pictures to ${output}\n`);
} finally {
  await browser.close();
  child.removeAllListeners('exit');
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
