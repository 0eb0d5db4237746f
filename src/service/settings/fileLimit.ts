import { readFileSync } from 'node:fs';
import type { Settings } from './settings.ts';

/** Descriptors for the store, the log, clients and tests of webhooks. */
const RESERVED = 100;
/** With fewer, one receiver that hangs would delay all others. */
const LEAST_DELIVERIES = 8;

/** Reads the limit of open files of this process; undefined where the system does not show it. */
export function readFileLimit(): number | undefined {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

/**
 * Lowers the number of simultaneous deliveries to what the limit of open files allows, and says so. The share of one webhook is
 * lowered in proportion, so that as many receivers must hang before the others are delayed.
 */
export function fitFileLimit(
  settings: Settings,
  limit: number | undefined,
): { readonly settings: Settings; readonly warnings: readonly string[] } {
  const { webhookConcurrency: wanted, webhookConcurrencyEach: share } = settings;
  if (limit === undefined || limit >= wanted + RESERVED) return { settings, warnings: [] };
  const webhookConcurrency = Math.min(wanted, Math.max(LEAST_DELIVERIES, limit - RESERVED));
  const webhookConcurrencyEach = Math.max(1, Math.floor((share * webhookConcurrency) / wanted));
  const warning =
    `The limit of open files is ${limit}, too low for STEWARD_WEBHOOK_CONCURRENCY=${wanted}: at most ${webhookConcurrency} deliveries ` +
    `are sent at the same time, ${webhookConcurrencyEach} to one webhook. Raise the limit to ${wanted + RESERVED} (ulimit -n, or LimitNOFILE of systemd), or lower the setting.`;
  return { settings: { ...settings, webhookConcurrency, webhookConcurrencyEach }, warnings: [warning] };
}
