import { readFileSync } from 'node:fs';
import type { Settings } from './settings.ts';

/** Descriptors for the embedded store, the log, tests of webhooks, and the least number of clients. */
const RESERVED = 100;
/** With fewer, one receiver that hangs would delay all others. */
const LEAST_DELIVERIES = 8;
/** A browser opens six. */
const LEAST_CONNECTIONS = 32;

/** Reads the limit of open files of this process; undefined where the system does not show it. */
export function readFileLimit(): number | undefined {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

interface Fitted {
  readonly settings: Settings;
  readonly warnings: readonly string[];
}

/** How to raise the limit to what the settings need. */
function remedy(needed: number): string {
  return `Raise the limit to ${needed} (ulimit -n, or LimitNOFILE of systemd), or lower the setting.`;
}

/**
 * Lowers the number of simultaneous deliveries to what the limit of open files allows, and says so. The share of one webhook is
 * lowered in proportion, so that as many receivers must hang before the others are delayed.
 */
function fitDeliveries(settings: Settings, limit: number, reserved: number): Fitted {
  const { webhookConcurrency: wanted, webhookConcurrencyEach: share } = settings;
  if (limit >= wanted + reserved) return { settings, warnings: [] };
  const webhookConcurrency = Math.min(wanted, Math.max(LEAST_DELIVERIES, limit - reserved));
  const webhookConcurrencyEach = Math.max(1, Math.floor((share * webhookConcurrency) / wanted));
  const warning =
    `The limit of open files is ${limit}, too low for STEWARD_WEBHOOK_CONCURRENCY=${wanted}: at most ${webhookConcurrency} deliveries ` +
    `are sent at the same time, ${webhookConcurrencyEach} to one webhook. ${remedy(wanted + reserved)}`;
  return { settings: { ...settings, webhookConcurrency, webhookConcurrencyEach }, warnings: [warning] };
}

/** Lowers the number of connections of clients to what deliveries and store leave. Without a descriptor, a new client would be reset. */
function fitConnections(settings: Settings, limit: number, reserved: number): Fitted {
  const { connections: wanted, webhookConcurrency } = settings;
  const taken = webhookConcurrency + reserved;
  if (limit >= wanted + taken) return { settings, warnings: [] };
  const connections = Math.min(wanted, Math.max(LEAST_CONNECTIONS, limit - taken));
  const warning =
    `The limit of open files is ${limit}, too low for STEWARD_CONNECTIONS=${wanted}: at most ${connections} connections of clients ` +
    `are open at the same time. ${remedy(wanted + taken)}`;
  return { settings: { ...settings, connections }, warnings: [warning] };
}

/** Fits the numbers of deliveries and of connections to the limit of open files. Deliveries come first. */
export function fitFileLimit(settings: Settings, limit: number | undefined): Fitted {
  if (limit === undefined) return { settings, warnings: [] };
  const reserved = RESERVED + (settings.store === 'sqlite' ? 0 : settings.storeConnections);
  const deliveries = fitDeliveries(settings, limit, reserved);
  const all = fitConnections(deliveries.settings, limit, reserved);
  return { settings: all.settings, warnings: [...deliveries.warnings, ...all.warnings] };
}
