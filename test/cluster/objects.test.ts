import { expect, test } from 'vitest';
import { LICENCE_SECRET, MODE_MAP } from '../../src/drivers/kubernetes/acts/objects.ts';
import { textAt } from '../../src/drivers/kubernetes/api/objectFields.ts';
import { valueAt } from '../../src/foundation/schema/json.ts';
import type { Act } from '../../src/upgrades/ports/deployment.ts';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { openDriver } from '../support/cluster/openDriver.ts';
import type { TestNamespace } from '../support/cluster/testNamespace.ts';
import { cleanUpAfterEachTest, openNamespace } from '../support/cluster/testNamespace.ts';
import { until } from '../support/run/until.ts';

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

describeOnCluster('objects beside the workloads:', () => {
  const cleanUp = cleanUpAfterEachTest();

  async function opened() {
    const namespace = await openNamespace();
    const { deployment } = await openDriver(namespace, cleanUp);
    const look = async (act: Act) => (await deployment.observe([act]))[0];
    return { namespace, deployment, look };
  }

  /** Creates a storage class, a volume of it with 1 Gi, and a claim that is bound to the volume. */
  async function bindClaim(namespace: TestNamespace, allowVolumeExpansion: boolean): Promise<void> {
    const { name: storageClassName } = namespace;
    const storage = '1Gi';
    cleanUp(() => namespace.kubectl('delete', 'storageclass,pv', storageClassName, '--wait=false'));
    const metadata = { name: storageClassName };
    const claimed = { storageClassName, accessModes: ['ReadWriteOnce'] };
    const storageClass = { provisioner: NO_PROVISIONER, allowVolumeExpansion };
    await namespace.apply(
      { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, ...storageClass },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata,
        spec: { ...claimed, capacity: { storage }, hostPath: { path: '/nonexistent' } },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { ...claimed, resources: { requests: { storage } } },
      },
    );
    await until(
      'the claim is bound',
      async () => textAt((await namespace.read('pvc', 'data'))?.status, 'phase') === 'Bound',
    );
  }

  test('[UPG8] a volume that does not exist is created as a claim', async () => {
    const { namespace, deployment, look } = await opened();
    const act: Act = { kind: 'volumes', volumes: { data: { size: '1Gi', storageClass: 'no-such-class' } } };
    expect(await deployment.rehearse([act])).toEqual([undefined]);
    expect(await look(act)).toEqual({ state: 'absent' });
    await deployment.begin(act, 1);
    await deployment.begin(act, 1);
    expect(await look(act)).toMatchObject({ state: 'done' });
    expect((await namespace.read('pvc', 'data'))?.spec).toMatchObject({
      storageClassName: 'no-such-class',
      resources: { requests: { storage: '1Gi' } },
    });
    expect((await deployment.inventory()).volumes).toEqual([
      { name: 'data', size: '1Gi', storageClass: 'no-such-class' },
    ]);
  });

  test('[UPG10] a rehearsal refuses to expand a volume whose storage class does not allow it', async () => {
    const { namespace, deployment, look } = await opened();
    await bindClaim(namespace, false);
    const act: Act = { kind: 'volumes', volumes: { data: { size: '2Gi' } } };
    const [failure] = await deployment.rehearse([act]);
    expect(failure?.reason).toMatch(/^The cluster refused the change of the volume data: .*resize/);
    expect(await look(act)).toEqual({ state: 'absent' });
  });

  test('[UPG8] a volume is expanded where its storage class allows it', async () => {
    const { namespace, deployment, look } = await opened();
    await bindClaim(namespace, true);
    const act: Act = { kind: 'volumes', volumes: { data: { size: '2Gi' } } };
    expect(await deployment.rehearse([act])).toEqual([undefined]);
    await deployment.begin(act, 1);
    expect(textAt((await namespace.read('pvc', 'data'))?.spec, 'resources', 'requests', 'storage')).toBe('2Gi');
    // The class has no provisioner, so the capacity stays as it is.
    expect(await look(act)).toMatchObject({ state: 'running', detail: 'the volume data has 1Gi of 2Gi' });
  });

  test('[UPG8] the licence is a Secret, and another one replaces it', async () => {
    const { namespace, deployment, look } = await opened();
    for (const content of ['{"licence":1}', '{"licence":2}']) {
      const act: Act = { kind: 'licence', content };
      expect(await look(act)).toEqual({ state: 'absent' });
      await deployment.begin(act, 1);
      expect(await look(act)).toMatchObject({ state: 'done' });
      const secret = textAt(await namespace.read('secret', LICENCE_SECRET), 'data', 'license.json');
      expect(Buffer.from(secret, 'base64').toString('utf8')).toBe(content);
    }
  });

  test('the mode is a ConfigMap, and a replica that is late does not overwrite a later revision', async () => {
    const { namespace, deployment } = await opened();
    const mode = async () => valueAt(await namespace.read('configmap', MODE_MAP), 'data');
    await deployment.showMode({ isReadOnly: true, message: 'An upgrade is running.', revision: 4 });
    await deployment.showMode({ isReadOnly: false, message: '', revision: 3 });
    const shown = { isReadOnly: 'true', message: 'An upgrade is running.', revision: '4', installation: 'test' };
    expect(await mode()).toEqual(shown);
    await deployment.showMode({ isReadOnly: false, message: '', revision: 5 });
    expect(await mode()).toMatchObject({ isReadOnly: 'false', revision: '5' });
  });

  test('start, end and failure of a job are Kubernetes Events', async () => {
    const { namespace, deployment } = await opened();
    for (const kind of ['started', 'failed', 'undone', 'succeeded'] as const)
      await deployment.record({ kind, job: 'J1', text: `The job has ${kind}.` });
    const events = (await namespace.list('events')).filter((one) => textAt(one, 'source', 'component') === 'steward');
    const told = events.map((one) => `${textAt(one, 'type')} ${textAt(one, 'reason')}: ${textAt(one, 'message')}`);
    expect(new Set(told)).toEqual(
      new Set([
        'Normal UpgradeStarted: The job has started.',
        'Warning UpgradeFailed: The job has failed.',
        'Normal UpgradeRolledBack: The job has undone.',
        'Normal UpgradeSucceeded: The job has succeeded.',
      ]),
    );
  });
});
