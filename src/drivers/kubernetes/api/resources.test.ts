import { describe, expect, test } from 'vitest';
import type { Connection } from './connection.ts';
import { createResources } from './resources.ts';

/** What discovery tells, as the paths and their documents. */
type Discovery = Readonly<Record<string, object>>;

const group = (preferred: string, ...versions: readonly string[]) => ({
  preferredVersion: { version: preferred },
  versions: versions.map((version) => ({ version })),
});
const resources = (...names: readonly string[]) => ({ resources: names.map((name) => ({ name })) });

const COMMON: Discovery = {
  '/api/v1': resources('pods', 'configmaps', 'nodes'),
  '/apis/apps': group('v1', 'v1'),
  '/apis/apps/v1': resources('deployments', 'statefulsets', 'daemonsets'),
};
/** In 1.20 the preferred version of batch has Jobs only. */
const OLD: Discovery = {
  ...COMMON,
  '/apis/batch': group('v1', 'v1', 'v1beta1'),
  '/apis/batch/v1': resources('jobs', 'jobs/status'),
  '/apis/batch/v1beta1': resources('cronjobs', 'cronjobs/status'),
};
const CURRENT: Discovery = {
  ...COMMON,
  '/apis/batch': group('v1', 'v1'),
  '/apis/batch/v1': resources('jobs', 'cronjobs'),
};

function serverWith(discovery: Discovery) {
  const asked: string[] = [];
  const state = { isDown: false };
  const send = async ({ path }: { readonly path: string }) => {
    asked.push(path);
    const document = state.isDown ? undefined : discovery[path];
    const text = async () => JSON.stringify(document ?? {});
    return { statusCode: document === undefined ? 503 : 200, body: { text } };
  };
  // The look-up reads the status and the text of an answer only.
  return { asked, state, found: createResources({ send: send as unknown as Connection['send'] }) };
}

describe('[UPG17] API versions, by constructed discovery answers', () => {
  test('CronJobs are batch/v1beta1 in 1.20, and batch/v1 in a current release', async () => {
    expect(await serverWith(OLD).found.versionOf('CronJob')).toBe('batch/v1beta1');
    expect(await serverWith(CURRENT).found.versionOf('CronJob')).toBe('batch/v1');
    expect(await serverWith(OLD).found.pathOf('CronJob', 'shop')).toBe('/apis/batch/v1beta1/namespaces/shop/cronjobs');
  });

  test('objects of the core group and of the cluster have their own paths', async () => {
    const { found } = serverWith(CURRENT);
    expect(await found.pathOf('Pod', 'shop')).toBe('/api/v1/namespaces/shop/pods');
    expect(await found.pathOf('Node', 'shop')).toBe('/api/v1/nodes');
    expect(await found.pathOf('Deployment', 'shop')).toBe('/apis/apps/v1/namespaces/shop/deployments');
  });

  test('each kind is looked up once', async () => {
    const { found, asked } = serverWith(CURRENT);
    await Promise.all([found.versionOf('CronJob'), found.pathOf('CronJob', 'shop')]);
    await found.versionOf('CronJob');
    expect(asked).toEqual(['/apis/batch', '/apis/batch/v1']);
  });

  test('a look-up that failed is repeated', async () => {
    const { found, state } = serverWith(CURRENT);
    state.isDown = true;
    await expect(found.versionOf('CronJob')).rejects.toThrow('503');
    state.isDown = false;
    expect(await found.versionOf('CronJob')).toBe('batch/v1');
  });

  test('a kind that the cluster lacks, and one that the driver does not know, are errors', async () => {
    await expect(serverWith(CURRENT).found.versionOf('ResourceQuota')).rejects.toThrow('no resourcequotas');
    await expect(serverWith(CURRENT).found.versionOf('Ingress')).rejects.toThrow('does not know the kind');
  });
});
