// One call of every command, in an order in which each can succeed on a fresh demo server. A name in capitals stands for
// something that the server is asked for when the step runs.
import type { Client } from '../server/client.ts';

export interface CommandStep {
  readonly words: string;
  readonly args: readonly string[];
  /** The exit code of a success. */
  readonly code?: number;
  /** Set if `--json` prints something else than the answer of the operation. */
  readonly isOwnJson?: true | 'lines';
}

const SERVICE = 'reports/Sales.Report';

const CATALOG: readonly CommandStep[] = [
  { words: 'catalog create-folder', args: ['reports', '--description', 'Reports of the company'] },
  { words: 'catalog publish', args: [SERVICE, '--access', 'public', '--description', 'Sales by month'] },
  { words: 'catalog ls', args: ['--all'], isOwnJson: true },
  { words: 'catalog ls', args: ['reports'], isOwnJson: true },
  { words: 'catalog ls', args: [] },
  { words: 'catalog show', args: [SERVICE] },
  { words: 'catalog status', args: [SERVICE] },
  { words: 'catalog edit', args: [SERVICE, '--description', 'Sales by week'] },
  { words: 'catalog stop', args: [SERVICE] },
  { words: 'catalog start', args: [SERVICE] },
  { words: 'catalog changes', args: [SERVICE] },
  { words: 'catalog export', args: [] },
  { words: 'catalog import', args: ['CATALOG_FILE', '--dry-run'] },
  { words: 'catalog wsdl', args: [], isOwnJson: true },
];

function webhookSteps(group: string, scope: readonly string[], webhook: string): readonly CommandStep[] {
  const one = [...scope, webhook];
  const step = (word: string, args: readonly string[], code = 0): CommandStep => ({
    words: `${group} ${word}`,
    args,
    code,
  });
  return [
    step('create', [...scope, 'orders', 'RECEIVER']),
    step('ls', scope),
    step('show', one),
    step('edit', [...one, '--change-types', '*']),
    step('test', one),
    step('status', one),
    step('deactivate', one),
    step('activate', one),
    step('deactivate-all', [...scope, '--yes']),
    step('activate-all', scope),
    step('rotate-key', [...one, '--yes']),
  ];
}

const DELIVERIES: readonly CommandStep[] = [
  { words: 'events send', args: [SERVICE, '--event', 'order.created', '--payload', '{"order": 7}'] },
  { words: 'events show', args: [SERVICE, 'EVENT'] },
  { words: 'webhooks deliveries', args: [SERVICE, 'WEBHOOK'] },
  { words: 'webhooks delivery', args: [SERVICE, 'WEBHOOK', 'DELIVERY'] },
  { words: 'webhooks resend', args: [SERVICE, 'WEBHOOK', 'DELIVERY'] },
  { words: 'webhooks resend-failed', args: [SERVICE, 'WEBHOOK', '--dry-run'] },
  { words: 'webhooks resend-held', args: [SERVICE, 'WEBHOOK', '--dry-run'] },
  { words: 'webhooks settings show', args: [] },
  { words: 'webhooks settings set', args: ['--notification-attempts', '4'] },
  { words: 'webhooks settings preview', args: ['--days-in-past', '2', '--number-of-failures', '3'] },
  { words: 'webhooks rm', args: [SERVICE, 'WEBHOOK', '--yes'] },
  { words: 'webhooks rm-all', args: [SERVICE, '--yes'] },
];

/** Upgrades are events of the system. */
const SYSTEM_DELIVERIES: readonly CommandStep[] = [
  { words: 'system-webhooks deliveries', args: ['SYSTEM_WEBHOOK'] },
  { words: 'system-webhooks delivery', args: ['SYSTEM_WEBHOOK', 'SYSTEM_DELIVERY'] },
  { words: 'system-webhooks resend', args: ['SYSTEM_WEBHOOK', 'SYSTEM_DELIVERY'] },
  { words: 'system-webhooks resend-failed', args: ['SYSTEM_WEBHOOK', '--dry-run'] },
  { words: 'system-webhooks resend-held', args: ['SYSTEM_WEBHOOK', '--dry-run'] },
  { words: 'system-webhooks event', args: ['SYSTEM_EVENT'] },
  { words: 'system-webhooks rm', args: ['SYSTEM_WEBHOOK', '--yes'] },
  { words: 'system-webhooks rm-all', args: ['--yes'] },
];

const PATCH = 'pat_10.9.1.1842';

const UPGRADES: readonly CommandStep[] = [
  { words: 'upgrades current', args: [] },
  { words: 'upgrades available', args: [] },
  { words: 'upgrades paths', args: [] },
  { words: 'upgrades installed', args: [] },
  { words: 'upgrades images', args: ['rel_11.0'] },
  { words: 'upgrades settings', args: ['rel_11.0'] },
  { words: 'upgrades plan', args: ['rel_11.0'], code: 9 },
  { words: 'upgrades plan', args: ['rel_11.0', '--license', 'LICENCE_FILE'] },
  { words: 'upgrades import', args: ['MANIFEST_FILE'] },
  { words: 'upgrades import', args: ['OBJECTS_MANIFEST_FILE', '--objects', 'OBJECTS_FILE'] },
  { words: 'restore-point', args: ['snapshot 42'] },
  { words: 'upgrades start', args: [PATCH, '--yes', '--detach', 'SLOW'] },
  { words: 'upgrades pause', args: [] },
  { words: 'upgrades status', args: [] },
  { words: 'upgrades resume', args: ['--detach'] },
  { words: 'jobs pause', args: ['JOB'] },
  { words: 'jobs resume', args: ['JOB', 'FAST'] },
  { words: 'upgrades watch', args: [], isOwnJson: true },
  { words: 'upgrades history', args: [] },
  { words: 'upgrades check-rollback', args: [] },
  { words: 'upgrades rollback', args: [PATCH, '--yes'], isOwnJson: true },
  { words: 'jobs ls', args: [] },
  { words: 'jobs show', args: ['JOB'] },
  { words: 'jobs messages', args: ['JOB'] },
  { words: 'jobs watch', args: ['JOB'], isOwnJson: true },
  { words: 'upgrades adopt', args: ['rel_10.9.1', '--dry-run'] },
];

const RELEASE = ['rel_11.0', '--license', 'LICENCE_FILE', '--yes'];

/** A job that runs is cancelled, and one that fails after the point of no return is retried. */
const ENDED_UPGRADES: readonly CommandStep[] = [
  { words: 'upgrades start', args: [PATCH, '--yes', '--detach', 'SLOW'] },
  { words: 'upgrades cancel', args: ['--yes', 'FAST'], isOwnJson: true },
  { words: 'jobs watch', args: ['JOB'], code: 9, isOwnJson: true },
  { words: 'upgrades start', args: [PATCH, '--yes', '--detach', 'SLOW'] },
  { words: 'jobs cancel', args: ['JOB', '--yes', 'FAST'] },
  { words: 'jobs watch', args: ['JOB'], code: 9, isOwnJson: true },
  { words: 'upgrades start', args: [...RELEASE, 'FAULT'], code: 9, isOwnJson: true },
  { words: 'upgrades retry', args: [], code: 9, isOwnJson: true },
  { words: 'upgrades retry', args: ['--detach'] },
  { words: 'jobs watch', args: ['JOB'], code: 9, isOwnJson: true },
  { words: 'faults ls', args: [] },
  { words: 'faults rm', args: ['FAULT_ID'] },
  { words: 'jobs retry', args: ['JOB', 'NO_FAULT'] },
  { words: 'jobs watch', args: ['JOB'], isOwnJson: true },
];

const SYSTEM: readonly CommandStep[] = [
  { words: 'status', args: [] },
  { words: 'deployment', args: [] },
  { words: 'mode show', args: [] },
  { words: 'mode set', args: ['true', '--message', 'Maintenance'] },
  { words: 'mode set', args: ['false'] },
  { words: 'uploads add', args: ['LICENCE_FILE', '--description', 'a licence'] },
  { words: 'uploads ls', args: [] },
  { words: 'uploads show', args: ['UPLOAD'] },
  { words: 'uploads get', args: ['UPLOAD'], isOwnJson: true },
  { words: 'uploads rm', args: ['UPLOAD', '--yes'] },
  { words: 'resources ls', args: [] },
  { words: 'resources security', args: [] },
  { words: 'resources system', args: [] },
];

const ACCESS: readonly CommandStep[] = [
  { words: 'whoami', args: [] },
  { words: 'users create', args: ['ann', 'publisher', '--password-file', 'PASSWORD_FILE'] },
  { words: 'users ls', args: [] },
  { words: 'users show', args: ['ann'] },
  { words: 'users edit', args: ['ann', '--full-name', 'Ann Example'] },
  { words: 'users revoke-all', args: ['ann', '--yes'] },
  { words: 'users rm', args: ['ann', '--yes'] },
  { words: 'tokens create', args: ['pipeline', 'viewer', '--expiration', '60'] },
  { words: 'tokens ls', args: [] },
  { words: 'tokens revoke', args: ['TOKEN', '--yes'] },
  { words: 'audit ls', args: ['--limit', '5'] },
  { words: 'audit export', args: [], isOwnJson: 'lines' },
  { words: 'catalog rm', args: [SERVICE, '--yes'] },
  { words: 'catalog rm-folder', args: ['reports', '--yes'] },
  {
    words: 'password',
    args: ['--current-password-file', 'ADMIN_FILE', '--new-password-file', 'ADMIN_FILE_2'],
  },
  { words: 'logout', args: [] },
];

export const COMMAND_STEPS: readonly CommandStep[] = [
  ...CATALOG,
  ...webhookSteps('webhooks', [SERVICE], 'WEBHOOK'),
  ...webhookSteps('system-webhooks', [], 'SYSTEM_WEBHOOK'),
  ...DELIVERIES,
  ...UPGRADES,
  ...ENDED_UPGRADES,
  ...SYSTEM_DELIVERIES,
  ...SYSTEM,
  ...ACCESS,
];

export interface StepContext {
  readonly client: Client;
  readonly token: () => Promise<string>;
  /** Files by the names in capitals. */
  readonly files: Readonly<Record<string, string>>;
  readonly receiver: string;
  /** How long a rollout takes while a command must find the job running. */
  readonly slowMs: number;
}

async function lookUp(
  name: string,
  { client, token, files, receiver, slowMs }: StepContext,
): Promise<readonly string[]> {
  const file = files[name];
  if (file !== undefined) return [file];
  const ask = async (path: string, fields = {}) => client.must(`/admin${path}`, { token: await token(), ...fields });
  const webhook = async () => (await ask('/services/webhooks')).webhooks[0].id as string;
  const systemWebhook = async () => (await ask('/system/webhooks')).webhooks[0].id as string;
  const delivery = async () => (await ask(`/services/${SERVICE}/webhooks/${await webhook()}/deliveries`)).deliveries[0];
  const systemDelivery = async () => (await ask(`/system/webhooks/${await systemWebhook()}/deliveries`)).deliveries[0];
  switch (name) {
    case 'RECEIVER':
      return [receiver];
    case 'WEBHOOK':
      return [await webhook()];
    case 'SYSTEM_WEBHOOK':
      return [await systemWebhook()];
    case 'DELIVERY':
      return [(await delivery()).id];
    case 'EVENT':
      return [(await delivery()).webhookMessageId];
    case 'SYSTEM_DELIVERY':
      return [(await systemDelivery()).id];
    case 'SYSTEM_EVENT':
      return [(await systemDelivery()).webhookMessageId];
    case 'JOB':
      return [(await ask('/system/jobs')).jobs[0].id];
    case 'UPLOAD':
      return [(await ask('/uploads')).items.at(-1).itemID];
    case 'TOKEN':
      return [(await ask('/security/tokens')).tokens.find(({ kind }: { kind: string }) => kind === 'named').id];
    case 'SLOW':
      await ask('/demo/settings', { rolloutMs: String(slowMs) });
      return [];
    case 'FAST':
      await ask('/demo/settings', { rolloutMs: '300' });
      return [];
    case 'FAULT':
      await ask('/demo/faults/add', { kind: 'hookFails', hook: 'logging' });
      return [];
    case 'FAULT_ID':
      return [(await ask('/demo/faults')).faults[0].id];
    case 'NO_FAULT':
      await ask('/demo/faults/remove', { all: 'true' });
      return [];
    default:
      throw new Error(`nothing is known of ${name}`);
  }
}

const CAPITALS = /^[A-Z][A-Z_\d]+$/;

/** The arguments of a step, with what stands for something replaced. */
export async function argumentsOfStep({ args }: CommandStep, context: StepContext): Promise<readonly string[]> {
  const found: string[] = [];
  for (const one of args) found.push(...(CAPITALS.test(one) ? await lookUp(one, context) : [one]));
  return found;
}
