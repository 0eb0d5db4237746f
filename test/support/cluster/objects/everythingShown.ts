// Everything that people and tools can read about an upgrade, to find out whether a secret is in it.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Answer } from '../../server/client.ts';
import { ADMIN_PASSWORD, runSteward } from '../../server/stewardProcess.ts';
import { UPGRADES } from '../../upgrades/upgradeServer.ts';
import type { ObjectWorld } from './objectWorld.ts';

const PATHS = [
  UPGRADES,
  ...['available', 'paths', 'installed', 'currentVersion', 'history'].map((name) => `${UPGRADES}/${name}`),
  '/admin/mode',
  '/admin/system/jobs',
  '/admin/system/overview',
  '/admin/system/deployment',
  '/admin/security/audit',
  '/admin/security/audit/export',
];

/** The forms in which a secret may appear: as it is, in base64, and in base64 twice. */
export function formsOf(secret: string): readonly string[] {
  const encoded = Buffer.from(secret).toString('base64');
  const twice = Buffer.from(encoded).toString('base64');
  // The last group of base64 depends on what follows.
  return [secret, encoded.slice(0, -4), twice.slice(0, -4)];
}

/** The text of an answer; empty if there is none to read. */
function told({ status, text }: Answer): string {
  return status === 200 ? text : '';
}

/** By its source: answers, the log, events of the cluster, and the file for a supporter. */
export async function everythingShown(
  { scenario, steward }: ObjectWorld,
  jobs: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const paths = [
    ...PATHS,
    ...jobs.flatMap((job) => [`/admin/system/jobs/${job}`, `/admin/system/jobs/${job}/messages`]),
  ];
  const answers: [string, string][] = [];
  for (const path of paths) answers.push([path, told(await steward.post(path))]);
  const data = join(dirname(scenario.switchFolder), 'data');
  const file = join(dirname(scenario.switchFolder), 'support.json');
  const { stdout, stderr } = await runSteward(['doctor', '--data', data, '--bundle', file], {
    env: { STEWARD_ADMIN_PASSWORD: ADMIN_PASSWORD },
  });
  return {
    ...Object.fromEntries(answers),
    metrics: told(await steward.get('/metrics')),
    log: steward.log(),
    events: await scenario.kubectl('get', 'events', '-o', 'json'),
    doctor: `${stdout}${stderr}`,
    support: readFileSync(file, 'utf8'),
  };
}
