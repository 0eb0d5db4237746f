// A demo server as a process, with the files that commands take, for tests of the command line.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Version } from '../../../src/model/version.ts';
import { checksumOf } from '../../../src/upgrades/objects/checkBundle.ts';
import type { Fields } from '../server/client.ts';
import type { StewardProcess } from '../server/stewardProcess.ts';
import { ADMIN_PASSWORD, startSteward } from '../server/stewardProcess.ts';
import type { StepContext } from './commandSteps.ts';

export const SECOND_PASSWORD = 'another correct horse battery';

export interface DemoServer extends StepContext {
  readonly steward: StewardProcess;
  readonly home: string;
}

const OBJECTS = `${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'later' } })}\n`;

/** A release with objects that no version leads to. */
function withObjects(version: Version): Version {
  const objects = { checksum: checksumOf(Buffer.from(OBJECTS)) };
  return { ...version, id: 'rel_90.0', version: '90.0', previousVersion: '89.0', previousBuild: '', objects };
}

async function writeFiles(steward: StewardProcess, folder: string, token: string): Promise<Fields> {
  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const ask = (path: string) => steward.must(path, { token });
  const manifest = await ask('/admin/demo/manifest');
  return {
    LICENCE_FILE: write('product.lic', JSON.stringify(await ask('/admin/demo/licence'))),
    MANIFEST_FILE: write('versions.json', JSON.stringify(manifest)),
    OBJECTS_MANIFEST_FILE: write('later.json', JSON.stringify([withObjects(manifest.at(-1))])),
    OBJECTS_FILE: write('objects.jsonl', OBJECTS),
    CATALOG_FILE: write('services.json', JSON.stringify(await ask('/admin/services/export'))),
    PASSWORD_FILE: write('password', 'a long enough password\n'),
    ADMIN_FILE: write('admin', ADMIN_PASSWORD),
    ADMIN_FILE_2: write('admin2', `${SECOND_PASSWORD}\n`),
  };
}

/** Starts the server. Its simulated deployment is fast. */
export async function startDemo(folder: string, slowMs: number, flags: readonly string[] = []): Promise<DemoServer> {
  const args = ['--demo', '--demo-receiver-port', '0', ...flags];
  const steward = await startSteward({ data: join(folder, 'data'), args });
  const receiver = /Demo receiver +(\S+)/.exec(steward.output())?.[1] ?? '';
  const token = await steward.token();
  const pace = { rolloutMs: '300', hookMs: '10', databaseMs: '10' };
  await steward.must('/admin/demo/settings', { token, ...pace });
  return {
    steward,
    client: steward,
    // The password is changed by one of the steps.
    token: () => steward.token().catch(() => steward.token({ password: SECOND_PASSWORD })),
    files: await writeFiles(steward, folder, token),
    receiver: `${receiver}/receive/cli`,
    home: folder,
    slowMs,
  };
}
