import { expect, test } from 'vitest';
import { valueAt } from '../../src/foundation/schema/json.ts';
import type { JsonObject } from '../../src/foundation/schema/json.ts';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { openObjectDriver } from '../support/cluster/objectDriver.ts';
import { cleanUpAfterEachTest, openNamespace } from '../support/cluster/testNamespace.ts';
import { CONFIG_MAP, SERVICE, bundle, deploymentObject } from '../support/cluster/wholeObjects.ts';

describeOnCluster('objects that are applied whole:', () => {
  const cleanUp = cleanUpAfterEachTest();

  async function opened(clusterKinds: readonly string[] = []) {
    const namespace = await openNamespace();
    return { namespace, ...(await openObjectDriver({ namespace: namespace.name, cleanUp, clusterKinds })) };
  }

  test('[OBJ4] [OBJ10] objects that are as applied cost one list for each kind and no write', async () => {
    const { apply, compare, sent } = await opened();
    const objects = bundle(5);
    for (const content of objects) await apply(content);
    sent.length = 0;
    const wanted = objects.map((content) => ({ object: `${String(content['kind'])}/${String(valueAt(content, 'metadata', 'name'))}`, content }));
    const findings = await compare(...wanted);
    expect(findings.filter(({ kind }) => kind !== 'unchanged')).toEqual([]);
    const kinds = new Set(objects.map(({ kind }) => kind));
    expect(sent.filter((request) => !request.startsWith('GET'))).toEqual([]);
    expect(sent.length).toBeLessThanOrEqual(kinds.size + 1);
  });
});
