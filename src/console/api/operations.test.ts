// The compiler checks this file: each expected error is a call that must not compile.
import { expect, expectTypeOf, test } from 'vitest';
import { at } from '../../wire/client/call.ts';
import type { CatalogFile } from './answers.ts';
import type * as client from './client.ts';
import type { AnswerOf, FieldsOf } from './operations.ts';
import { api } from './operations.ts';
import type * as queries from './queries.ts';

type Get = typeof client.get;
type Post = typeof client.post;
type UseOperation = typeof queries.useOperation;
type UseResource = typeof queries.useResource;

function namesOfOperations(get: Get, post: Post): void {
  void get(api.catalog.export, {});
  // @ts-expect-error: no operation has this name
  void get(api.catalog.exported, {});
  // @ts-expect-error: no area has this name
  void get(api.catalogue.export, {});
  // @ts-expect-error: a path is not an operation
  void get('/services/export', {});
  // @ts-expect-error: an operation that changes something is not read
  void get(api.catalog.createFolder, { folderName: 'a' });
  // @ts-expect-error: a resource is not sent as a form
  void post(api.catalog.export, {});
}

function fields(get: Get, post: Post, use: UseResource): void {
  void post(api.catalog.createFolder, { folderName: 'a', description: undefined });
  // @ts-expect-error: folderName is missing
  void post(api.catalog.createFolder, { description: 'a' });
  // @ts-expect-error: the field is called folderName
  void post(api.catalog.createFolder, { folderName: 'a', folder: 'a' });
  // @ts-expect-error: the field is a text
  void post(api.catalog.createFolder, { folderName: 1 });
  // @ts-expect-error: no such role
  void post(at(api.access.editUser, { username: 'a' }), { role: 'owner' });
  // @ts-expect-error: not a boolean
  void post(api.system.mode, { isReadOnly: 'yes' });
  // @ts-expect-error: the field takes a file
  void post(api.uploads.upload, { itemFile: 'text' });
  // @ts-expect-error: no such filter
  void get(api.access.audit, { whom: 'admin' });
  use(api.access.audit, { fields: { who: 'admin', limit: '10' } });
  // @ts-expect-error: no such filter
  use(api.access.audit, { fields: { whom: 'admin' } });
  // @ts-expect-error: the name of the box is missing
  use(api.demoReceiver.inbox);
}

function namesInPaths(get: Get): void {
  void get(at(api.serviceWebhooks.delivery, { service: 'a/b.c', id: '1', delivery: '2' }), {});
  // @ts-expect-error: the names of the path are not filled in
  void get(api.jobs.item, {});
  // @ts-expect-error: the delivery is missing
  void get(at(api.serviceWebhooks.delivery, { service: 'a/b.c', id: '1' }), {});
  // @ts-expect-error: the path names an id
  void get(at(api.jobs.item, { job: '1' }), {});
}

async function answers(get: Get, use: UseResource, useOperation: UseOperation): Promise<void> {
  const { services } = await get(api.catalog.export, {});
  expectTypeOf(services).toEqualTypeOf<CatalogFile['services']>();
  // @ts-expect-error: the answer has no such field
  void (await get(api.catalog.export, {})).servicesOf;
  // @ts-expect-error: the answer has no such field
  void use(api.system.mode).data?.readOnly;
  useOperation(api.access.createToken, { onDone: ({ token }) => expectTypeOf(token).toEqualTypeOf<string>() });
  // @ts-expect-error: the answer has no such field
  useOperation(api.access.createToken, { onDone: ({ secret }) => void secret });
  // @ts-expect-error: name and role are missing
  useOperation(api.access.createToken).mutate({});
}

test('[C2] a call with a wrong name, field or answer does not compile', () => {
  for (const checked of [namesOfOperations, fields, namesInPaths, answers]) expect(checked).toBeTypeOf('function');
  expectTypeOf<AnswerOf<typeof api.system.mode>['isReadOnly']>().toEqualTypeOf<boolean>();
  expectTypeOf<FieldsOf<typeof api.jobs.retry>['afterFailure']>().toEqualTypeOf<'readOnly' | 'open' | undefined>();
});

test('[C2] the operations on the webhooks of the system are called like those of a service', () => {
  expectTypeOf<typeof api.systemWebhooks>().toExtend<typeof api.serviceWebhooks>();
  const webhooks: typeof api.serviceWebhooks = api.systemWebhooks;
  expect(at(webhooks.test, { service: '', id: 'a b' })).toBe('/system/webhooks/a%20b/test');
});

test('[C2] names are encoded, and only the slash of a label stays', () => {
  expect(at(api.catalog.item, { service: 'a b/c.d' })).toBe('/services/a%20b/c.d');
  expect(at(api.catalog.item, { service: ['a/b'] })).toBe('/services/a%2Fb');
  expect(at(api.jobs.item, { id: '../mode' })).toBe('/system/jobs/..%2Fmode');
});
