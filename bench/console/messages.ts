// The part `messages`: the page of an upgrade with more than 1,000 messages, in Chromium. It is open while the job runs, and it is
// opened again when all messages are there. Tasks that block the page are counted by the browser itself.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { hasChromium, startChromium } from '../../test/support/browser/chromium.ts';
import { shows } from '../../test/support/browser/pageActions.ts';
import type { PartResult } from '../harness/benchmark.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { sum } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import { ADMINISTRATOR, startSteward } from '../harness/processes/steward.ts';
import { workFolder } from '../harness/processes/workspace.ts';
import type { Pace } from '../upgrades/upgradeClient.ts';
import { fillDeployment, startUpgrade, waitForSuccess } from '../upgrades/upgradeClient.ts';

const MESSAGES_AT_LEAST = 1000;
const LONGEST_AT_MOST_MS = 100;
const WORKLOADS = 250;
/** About 50 messages a second. */
const PARALLEL = 8;
const PACE: Pace = { rolloutMs: 400, hookMs: 200, databaseMs: 200 };

/** Tasks of 50 ms and more are long. */
const COUNT_LONG_TASKS = `globalThis.longTasks = [];
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
}).observe({ type: 'longtask', buffered: true });`;

interface Watched {
  readonly name: string;
  readonly longTasks: readonly number[];
  readonly messages: number;
}

async function longTasksOf(page: Page): Promise<readonly number[]> {
  const found: unknown = await page.evaluate('globalThis.longTasks');
  if (!Array.isArray(found)) throw new Error('the browser does not report long tasks');
  return found.map(Number);
}

/** Waits until the job on the page has succeeded, and reads what the page says. */
async function watchToEnd(page: Page, name: string): Promise<Watched> {
  await shows(page, page.locator('.pageHead').getByText('Succeeded'));
  const title = await page.getByRole('heading', { name: /^Messages/ }).innerText();
  const messages = Number(/\d+/.exec(title)?.[0]);
  if (!(messages >= MESSAGES_AT_LEAST)) throw new Error(`the page shows ${messages} messages`);
  return { name, longTasks: await longTasksOf(page), messages };
}

async function watchUpgrade(steward: Steward): Promise<readonly Watched[]> {
  const { browser, close } = await startChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addInitScript(COUNT_LONG_TASKS);
    await context.request.post(`${steward.url}/admin/login`, { form: { ...ADMINISTRATOR, f: 'json' } });
    const page = await context.newPage();
    await fillDeployment(steward, WORKLOADS, PACE);
    const id = await startUpgrade(steward);
    await page.goto(`${steward.url}/console/upgrades/jobs/${id}`);
    await shows(page, page.getByRole('heading', { name: /^Messages/ }));
    // The load of the page counts when all messages come with it. From here on, looking at the page would block it; only its end is read.
    await page.evaluate('globalThis.longTasks.length = 0');
    await waitForSuccess(steward, id);
    const live = await watchToEnd(page, 'as they come');
    await page.reload();
    return [live, await watchToEnd(page, 'all at once')];
  } finally {
    await close();
  }
}

const longest = ({ longTasks }: Watched): number => Math.max(0, ...longTasks);

function print(watched: readonly Watched[]): void {
  say(`\nThe page of an upgrade of ${WORKLOADS} workloads; a task of 50 ms or more is long\n`);
  say(row('messages', 'count', 'long tasks', 'in all', 'longest', 'x bar'));
  for (const one of watched) {
    const times = [sum(one.longTasks), longest(one)].map((ms) => `${ms.toFixed(0)} ms`);
    const ratio = (longest(one) / LONGEST_AT_MOST_MS).toFixed(2);
    say(row(one.name, String(one.messages), String(one.longTasks.length), ...times, ratio));
  }
}

export async function measureMessages(): Promise<PartResult> {
  if (!hasChromium()) throw new Error("There is no browser on this machine: install Debian's chromium.");
  progress(`an upgrade of ${WORKLOADS} workloads in the browser …`);
  const folder = join(workFolder(), 'messages');
  mkdirSync(folder);
  const steward = await startSteward(folder, {
    STEWARD_DEPLOYMENT: 'simulated',
    STEWARD_UPGRADE_PARALLEL: String(PARALLEL),
  });
  const watched = await watchUpgrade(steward);
  await steward.end();
  return {
    bars: watched.map((one) => ({
      name: `longest task, messages ${one.name}`,
      measured: longest(one),
      atMost: LONGEST_AT_MOST_MS,
      unit: 'ms',
    })),
    print: () => print(watched),
  };
}
