import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { WAIT_TIMEOUT_MS } from '../run/limits.ts';
import type { RunningChromium } from './chromium.ts';
import { hasChromium, startChromium } from './chromium.ts';

const HEIGHT = 900;
const MOST_TEXT = 3000;
/** The first request of a browser that is not signed in. */
const SIGNED_OUT = /status of 401 .*\/session/;

export interface OpenOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly locale?: string;
  readonly timezone?: string;
  /** The cookies to begin with. */
  readonly session?: Session;
  /** Whether a certificate of an unknown authority is accepted. */
  readonly trustsAll?: true;
}

export type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

export interface BrowserForFile {
  /** Opens a page in a new context, which shares no cookie and no cache with others. */
  open(url: string, options?: OpenOptions): Promise<Page>;
  /** Sends a form that signs in, and answers the cookies. */
  sessionOf(url: string): Promise<Session>;
  /** Lets this test have console errors that match. */
  expectProblems(...patterns: readonly RegExp[]): void;
}

function collectProblems(page: Page, problems: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught ${error.message}`));
}

async function describePage(page: Page): Promise<string> {
  const text = await page.locator('body').innerText();
  return `\nA page of the failed test, ${page.url()}:\n${text.slice(0, MOST_TEXT)}\n`;
}

/** Starts a browser for the tests of a file. A test fails if a page reports an error or violates its content-security policy. */
export function browserForFile(): BrowserForFile {
  const isHere = hasChromium();
  let running: RunningChromium;
  let expected: RegExp[] = [];
  let problems: string[] = [];
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    if (isHere) running = await startChromium();
  });
  beforeEach(({ skip }) => skip(!isHere, 'this machine has no Chromium'));
  afterAll(async () => {
    if (isHere) await running.close();
  });
  afterEach(async ({ task }) => {
    const open = contexts.splice(0);
    const pages = open.flatMap((context) => context.pages());
    if (task.result?.state === 'fail')
      for (const page of pages) process.stdout.write(await describePage(page).catch(String));
    await Promise.all(open.map((context) => context.close()));
    const found = problems.filter((problem) => ![SIGNED_OUT, ...expected].some((one) => one.test(problem)));
    [problems, expected] = [[], []];
    expect(found).toEqual([]);
  });

  async function newContext(browser: Browser, options: OpenOptions): Promise<BrowserContext> {
    const { scheme = 'light', width = 1280, session, trustsAll = false, locale = 'en-US', timezone } = options;
    const context = await browser.newContext({
      colorScheme: scheme,
      viewport: { width, height: HEIGHT },
      locale,
      reducedMotion: 'reduce',
      ignoreHTTPSErrors: trustsAll,
      ...(timezone !== undefined && { timezoneId: timezone }),
      ...(session !== undefined && { storageState: session }),
    });
    context.setDefaultTimeout(WAIT_TIMEOUT_MS);
    contexts.push(context);
    return context;
  }

  return {
    async open(url, options = {}) {
      const context = await newContext(running.browser, options);
      const page = await context.newPage();
      collectProblems(page, problems);
      await page.goto(url);
      return page;
    },
    async sessionOf(url) {
      const context = await newContext(running.browser, {});
      await context.request.post(url);
      return context.storageState();
    },
    expectProblems: (...patterns) => void expected.push(...patterns),
  };
}
