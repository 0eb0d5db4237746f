import { existsSync } from 'node:fs';
import type { Page } from 'puppeteer-core';
import { WAIT_TIMEOUT_MS } from '../run/limits.ts';
import { markChild, temporaryFolder } from '../run/runFolder.ts';

/** Where Debian's package has it. */
const PROGRAM = '/usr/bin/firefox-esr';
const FIRST_REFUSAL = 400;

/** Whether this machine has the browser. */
export function hasFirefox(): boolean {
  return existsSync(PROGRAM);
}

export interface RunningFirefox {
  readonly page: Page;
  /** Errors of the page, violations of its policy, and answers that are refusals. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Firefox reports a violation of the content-security policy as an error of the page. */
function collectProblems(page: Page, problems: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(`uncaught ${String(error)}`));
  page.on('response', (response) => {
    if (response.status() >= FIRST_REFUSAL) problems.push(`${response.status()} ${response.url()}`);
  });
}

/** Starts Firefox with an empty profile and one page. It is driven over WebDriver BiDi, which needs no other program. */
export async function startFirefox(): Promise<RunningFirefox> {
  // Loaded here, because every test run asks whether there is a Firefox.
  const { default: puppeteer } = await import('puppeteer-core');
  const profile = temporaryFolder();
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: PROGRAM,
    headless: true,
    userDataDir: profile.path,
    defaultViewport: { width: 1280, height: 900 },
    protocolTimeout: WAIT_TIMEOUT_MS,
    timeout: WAIT_TIMEOUT_MS,
    env: { ...process.env, LANGUAGE: 'en', TZ: 'UTC' },
  });
  const child = browser.process();
  if (child !== null) markChild(child);
  const page = await browser.newPage();
  page.setDefaultTimeout(WAIT_TIMEOUT_MS);
  const problems: string[] = [];
  collectProblems(page, problems);
  return {
    page,
    problems,
    async close() {
      await browser.close();
      profile.remove();
    },
  };
}
