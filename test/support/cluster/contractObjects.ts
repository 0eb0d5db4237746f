// A namespace of the cluster, and what the contract of objects does to it.
import type { JsonObject } from '../../../src/foundation/schema/json.ts';
import { RIGHTS } from '../../../src/drivers/kubernetes/preflight/rights.ts';
import type { ClusterObject } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import { until } from '../run/until.ts';
import type { ObjectsUnderTest, SampleWorkload } from '../upgrades/objects/objectActs.ts';
import type { AdmissionWebhook } from './admissionWebhook.ts';
import { openAdmissionWebhook } from './admissionWebhook.ts';
import type { TestImage } from './cluster.ts';
import { makeImage, signalPart } from './cluster.ts';
import { noted, proceed } from './contractDeployment.ts';
import type { ImageSwitch } from './imageSwitch.ts';
import { openImageSwitch } from './imageSwitch.ts';
import { openDriver } from './openDriver.ts';
import { kubectl, kubectlFile } from './kubectl.ts';
import type { TestRight } from './serviceAccount.ts';
import type { TestNamespace } from './testNamespace.ts';
import { openNamespace } from './testNamespace.ts';
import { workloadObject } from './workloadObjects.ts';

const [IMAGE, CONTAINER, NAME] = ['contract', 'web', 'contract'];
const DEFINITION = 'widgets.contract.example.com';
const VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

const OBJECT_RIGHTS: readonly TestRight[] = [
  ...RIGHTS,
  ...['configmaps', 'secrets'].map((resource) => ({ group: '', resource, verbs: VERBS })),
  { group: 'apps', resource: 'deployments', verbs: VERBS },
  { group: 'contract.example.com', resource: 'widgets', verbs: VERBS },
];
const WITHOUT_PATCH = OBJECT_RIGHTS.map((right) => ({
  ...right,
  verbs: right.verbs.filter((verb) => verb !== 'patch'),
}));

function samples(first: TestImage, next: TestImage, { folder, command }: ImageSwitch) {
  return (mode: string, image: 'first' | 'next'): SampleWorkload => {
    const { reference, checksum } = image === 'first' ? first : next;
    const { apiVersion, kind, metadata, ...rest } = workloadObject({
      kind: 'Deployment',
      name: NAME,
      wave: 30,
      labels: { 'app.kubernetes.io/component': 'contract', 'app.kubernetes.io/part-of': 'contract' },
      switchFolder: folder,
      containers: [{ name: CONTAINER, image: reference, env: [{ name: 'MODE', value: mode }], command }],
    });
    return {
      content: { apiVersion, kind, metadata, ...rest },
      images: [{ container: CONTAINER, image: reference, checksum }],
    };
  };
}

function partsOf(object: string): readonly [kind: string, name: string] {
  const [kind = '', name = ''] = object.split('/');
  return [kind, name];
}

/** Lets the account change definitions, and count their instances. */
async function grantDefinitions({ name }: TestNamespace, cleanUp: (action: () => unknown) => void): Promise<void> {
  const rules = [
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: VERBS },
    { apiGroups: ['contract.example.com'], resources: ['widgets'], verbs: ['list'] },
  ];
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
  await kubectlFile(role, 'create');
  cleanUp(() => kubectl('delete', 'clusterrole,clusterrolebinding', name, '--ignore-not-found'));
  await kubectl('create', 'clusterrolebinding', name, `--clusterrole=${name}`, `--serviceaccount=${name}:steward`);
  const asked = ['patch', 'customresourcedefinitions', `--as=system:serviceaccount:${name}:steward`, '--quiet'];
  await until('the account may change definitions', () =>
    kubectl('auth', 'can-i', ...asked).then(
      () => true,
      () => false,
    ),
  );
  await kubectl('delete', 'customresourcedefinition', DEFINITION, '--ignore-not-found');
  cleanUp(() => kubectl('delete', 'customresourcedefinition', DEFINITION, '--ignore-not-found'));
}

/** What a server says about a change that is not made. */
async function tried(namespace: TestNamespace, content: ClusterObject): Promise<string> {
  return kubectlFile(content, '--namespace', namespace.name, 'apply', '--dry-run=server').catch(String);
}

/** Opens an empty namespace, and the driver with an account that may change objects in it. */
export async function openContractObjects(cleanUp: (action: () => unknown) => void): Promise<ObjectsUnderTest> {
  const [first, next] = await Promise.all([makeImage(IMAGE, '1.0'), makeImage(IMAGE, '2.0')]);
  const namespace = await openNamespace();
  await grantDefinitions(namespace, cleanUp);
  const opened = await openDriver(namespace, cleanUp, {
    rights: OBJECT_RIGHTS,
    takeOverFrom: ['some-person'],
    clusterKinds: ['CustomResourceDefinition'],
  });
  const { deployment, begun } = noted(opened.deployment);
  const images = openImageSwitch();
  cleanUp(images.remove);
  const applied = new Map<string, JsonObject>();
  let webhook: AdmissionWebhook | undefined;

  async function refuse(object: string): Promise<() => Promise<void>> {
    if (webhook === undefined) {
      webhook = await openAdmissionWebhook(namespace.name);
      cleanUp(webhook.close);
    }
    const allow = webhook.refuse(object);
    const [kind, name] = partsOf(object);
    const content = { apiVersion: 'v1', kind, metadata: { name } };
    // The API server learns of a webhook a moment later.
    await until('the webhook refuses', async () =>
      (await tried(namespace, content)).includes('the contract forbids it'),
    );
    return async () => allow();
  }

  return {
    deployment,
    settle: () =>
      until('all that was begun has ended', async () =>
        (await deployment.observe(begun)).every(({ state }) => state !== 'running' && state !== 'unknown'),
      ),
    hang: async () => {
      signalPart('apiserver', 'SIGSTOP');
      cleanUp(proceed);
      return async () => proceed();
    },
    forbid: async () => {
      await opened.account.grant(WITHOUT_PATCH);
      return () => opened.account.grant(OBJECT_RIGHTS);
    },
    objects: {
      workload: samples(first, next, images),
      read: async (object): Promise<JsonObject | undefined> => {
        const found = await namespace.read(...partsOf(object));
        return found && { ...found };
      },
      place: (content) => namespace.createAs('some-person', { metadata: { name: NAME }, ...content }),
      manage: (object, field, value, { name }) => {
        const [kind, of] = partsOf(object);
        const [map = '', key = ''] = field.split('.');
        // With what the same manager applied before, which the apply would take back.
        const fields = { ...applied.get(`${object} ${name}`), [key]: value };
        applied.set(`${object} ${name}`, fields);
        return namespace.applyAs(name, { apiVersion: 'v1', kind, metadata: { name: of }, [map]: fields });
      },
      refuse,
      neverReady: async () => images.breakImage(IMAGE, '1.0'),
    },
  };
}
