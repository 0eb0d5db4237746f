import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';
import { WAIT_TIMEOUT_MS } from '../run/limits.ts';
import { spawnChild, temporaryFolder } from '../run/runFolder.ts';

/** Where Debian's package has it. */
const PROGRAM = '/usr/bin/chromium';

/** Another name of this machine. Only the loopback address and `localhost` are secure without TLS. */
export const NAME_OF_THIS_MACHINE = 'steward.example';

const FLAGS: readonly string[] = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // A page in the background runs as fast as one on the screen.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--hide-scrollbars',
  '--lang=en-US',
  `--host-resolver-rules=MAP ${NAME_OF_THIS_MACHINE} 127.0.0.1`,
  '--remote-debugging-port=0',
];

/** Whether this machine has the browser. */
export function hasChromium(): boolean {
  return existsSync(PROGRAM);
}

export interface RunningChromium {
  readonly browser: Browser;
  close(): Promise<void>;
}

/** Starts Chromium with an empty profile. It leads a process group, because it has many children. */
export async function startChromium(): Promise<RunningChromium> {
  const profile = temporaryFolder();
  const child = spawnChild(PROGRAM, [...FLAGS, `--user-data-dir=${profile.path}`, 'about:blank'], {
    env: { ...process.env, LANGUAGE: 'en', TZ: 'UTC' },
    isGroup: true,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const endpoint = await new Promise<string>((resolve, reject) => {
    let log = '';
    void exited.then(() => reject(new Error(`Chromium ended before it was ready:\n${log}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const found = /DevTools listening on (\S+)/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const browser = await chromium.connectOverCDP(endpoint, { timeout: WAIT_TIMEOUT_MS });
  return {
    browser,
    async close() {
      await browser.close();
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await exited;
      profile.remove();
    },
  };
}
