import { afterAll, beforeAll, expect, test } from 'vitest';
import { localActor } from '../../src/model/actor.ts';
import { PLAIN_DETAILS } from '../support/catalog/publishedService.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

let steward: InProcessServer;
let token: string;

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('publisher');
});
afterAll(() => steward.close());

/** The parts of addresses below /services that are not names in braces, by their place. */
function literals(place: RegExp): readonly string[] {
  const found = steward.routes().flatMap(({ operation }) => place.exec(operation.path)?.[1] ?? []);
  return [...new Set(found)].toSorted();
}

test('[CAT9] no new folder gets the name of an operation, by a form or by an import', async () => {
  const names = [...literals(/^\/services\/(\w+)/), ...literals(/^\/services\/\{service\}\/(\w+)/)];
  expect(names).toEqual(expect.arrayContaining(['changes', 'events', 'export', 'status', 'webhooks']));
  for (const folderName of names) {
    const made = await steward.post('/admin/services/createFolder', { token, folderName });
    expect([folderName, made.status]).toEqual([folderName, 400]);
    expect(made.body.error.details).toEqual([expect.stringMatching(/reserved for an operation; choose another name/)]);
    const importFile = JSON.stringify({ folders: [{ folderName }] });
    const imported = await steward.post('/admin/services/import', { token, importFile });
    expect([folderName, imported.status]).toEqual([folderName, 400]);
    expect(imported.body.error.details).toEqual([
      `folders: ${folderName} is reserved for an operation; choose another name`,
    ]);
  }
});

test('[CAT9] no operation is added directly below services, where it would hide a folder of its name', () => {
  const names = ['createFolder', 'createService', 'deleteFolder', 'export', 'import', 'webhooks'];
  expect(literals(/^\/services\/(\w+)/)).toEqual(names);
});

test('[CAT9] a folder that has the name of a later operation stays reachable, and its export can be imported', async () => {
  const by = localActor('test');
  const names = literals(/^\/services\/\{service\}\/(\w+)/).filter((name) => name !== 'webhooks');
  for (const name of names) {
    await steward.areas.catalog.createFolder(by, { name, description: 'before the operation' });
    const service = { folder: name, name: 'S', type: 'T' };
    await steward.areas.catalog.createService(by, service, PLAIN_DETAILS);
    const at = `/admin/services/${name}`;
    expect((await steward.get(`${at}?token=${token}`)).body).toMatchObject({ folderName: name });
    for (const path of ['', '/status', '/changes'])
      expect([path, (await steward.get(`${at}/${service.name}.${service.type}${path}?token=${token}`)).status]).toEqual(
        [path, 200],
      );
  }
  const { body } = await steward.get(`/admin/services/export?token=${token}`);
  const imported = await steward.post('/admin/services/import', { token, importFile: JSON.stringify(body) });
  expect([imported.status, imported.body.foldersCreated]).toEqual([200, 0]);
});
