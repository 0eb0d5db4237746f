import type { Page } from 'playwright-core';
import type { Fields } from '../server/client.ts';
import type { BrowserForFile, OpenOptions, Session } from './browserForFile.ts';
import { browserForFile } from './browserForFile.ts';
import type { DemoForFile } from './demoForFile.ts';
import { demoForFile } from './demoForFile.ts';

export interface ConsoleForFile {
  readonly demo: DemoForFile;
  readonly browser: BrowserForFile;
  /** Opens a page of the console as the administrator. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** The session of the administrator. */
  session(): Promise<Session>;
}

/** Starts a demo and a browser for the tests of a file. */
export function consoleForFile(settings?: Fields): ConsoleForFile {
  const demo = demoForFile(settings);
  const browser = browserForFile();
  let signedIn: Promise<Session> | undefined;
  const session = (): Promise<Session> =>
    (signedIn ??= browser.sessionOf(new URL('/admin/demo/login', demo.page()).href));
  return {
    demo,
    browser,
    session,
    async open(path, options) {
      return browser.open(demo.page(path), { session: await session(), ...options });
    },
  };
}
