import { afterAll, beforeAll, expect, test } from 'vitest';
import { RIGHTS } from '../../src/drivers/kubernetes/preflight/rights.ts';
import { valueAt } from '../../src/foundation/schema/json.ts';
import { describeOnCluster, makeImage } from '../support/cluster/cluster.ts';
import type { AppImages } from '../support/cluster/appVersions.ts';
import { expectRunning, patch, references, release } from '../support/cluster/appVersions.ts';
import type { ClusterSteward, Scenario } from '../support/cluster/scenario.ts';
import { openScenario } from '../support/cluster/scenario.ts';
import { openServiceAccount } from '../support/cluster/serviceAccount.ts';
import type { ShownCheck } from '../support/cluster/upgradeCalls.ts';
import { mustBeOk } from '../support/cluster/upgradeCalls.ts';
import { CODE } from '../support/upgrades/codes.ts';

const NAME = 'owners-app';
const WEB = 'Deployment/web/app';
const API = 'Deployment/api/app';

/** The managers of the image of the container `app`, as the API server lists them. */
async function imageManagers(scenario: Scenario, name: string): Promise<readonly string[]> {
  const object = await scenario.read('deployment', name);
  const path = ['f:spec', 'f:template', 'f:spec', 'f:containers', 'k:{"name":"app"}', 'f:image'];
  return (object?.metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => valueAt(fieldsV1, ...path) !== undefined)
    .map(({ manager }) => manager);
}

function webWithImage(image: string) {
  const spec = { template: { spec: { containers: [{ name: 'app', image }] } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
}

describeOnCluster('other owners of the images, and rights', () => {
  let scenario: Scenario;
  let steward: ClusterSteward;
  let first: AppImages;
  let second: AppImages;
  let third: AppImages;

  beforeAll(async () => {
    scenario = await openScenario();
    const imagesOf = async (tag: string): Promise<AppImages> => ({
      [WEB]: await makeImage(NAME, tag),
      [API]: await makeImage('owners-api', tag),
    });
    [first, second, third] = [await imagesOf('1.0'), await imagesOf('2.0'), await imagesOf('3.0')];
    await scenario.install([
      { kind: 'Deployment', name: 'web', wave: 10, containers: { app: first[WEB]?.tagged ?? '' } },
      { kind: 'Deployment', name: 'api', wave: 20, containers: { app: first[API]?.tagged ?? '' } },
    ]);
    steward = await scenario.steward();
    await steward.importManifest([release('1.0.100', '', first), patch('1.0.101', second), patch('1.0.102', third)]);
    await steward.adopt('rel_1.0.100');
  });
  afterAll(() => scenario?.close());

  test('[UPG18] the label of a GitOps tool fails the plan with its name, and changes nothing', async () => {
    await scenario.kubectl('label', 'deployment', 'web', 'argocd.argoproj.io/instance=shop');
    const { verdict, text, todo } = await steward.check('pat_1.0.101', 'owners');
    expect(verdict).toBe('fail');
    expect(text).toContain('Deployment/web (Argo CD)');
    expect(todo).toContain('Pause');
    const { status } = await steward.insist('upgrade', { versionManifest: 'pat_1.0.101' });
    await scenario.kubectl('label', 'deployment', 'web', 'argocd.argoproj.io/instance-');
    expect(status).toBe(409);
    expect(await imageManagers(scenario, 'web')).toEqual(['kubectl-client-side-apply']);
    await expectRunning(scenario, first);
  });

  test('[UPG6] a plan names all missing rights at once, and the Role that it prints makes the plan pass', async () => {
    const account = await openServiceAccount(scenario, [
      { group: 'apps', resource: 'deployments', verbs: ['get', 'list', 'watch'] },
    ]);
    await steward.end('SIGTERM');
    steward = await scenario.steward({ STEWARD_KUBECONFIG: account.kubeconfig });
    const plan = () => steward.insist('plan', { versionManifest: 'pat_1.0.101' });
    const checks: readonly ShownCheck[] = mustBeOk(await plan()).checks;
    const shown = checks.find(({ name }) => name === 'rights');
    const { status, body } = await steward.insist('upgrade', { versionManifest: 'pat_1.0.101' });
    expect([shown?.verdict, status]).toEqual(['fail', 409]);
    for (const right of ['lacks rights', 'patch deployments', 'get, list, watch, patch statefulsets', 'get pods/log'])
      for (const text of [shown?.text, body.error.message]) expect(text).toContain(right);
    for (const todo of [shown?.todo, body.error.details.join()]) expect(todo).toContain('kind: Role');

    // The account can see everything, but change nothing: the plan is made, and one check fails.
    const watching = RIGHTS.map((right) => ({
      ...right,
      verbs: right.verbs.filter((verb) => /get|list|watch/.test(verb)),
    }));
    await account.grant(watching.filter(({ resource }) => resource !== 'resourcequotas'));
    await expect.poll(async () => (await plan()).status, { interval: 300 }).toBe(200);
    expect(await steward.failedChecks('pat_1.0.101')).toContain('rights');
    const { todo } = await steward.check('pat_1.0.101', 'rights');
    await scenario.applyText(todo.slice(todo.indexOf('apiVersion:')));
    await expect.poll(() => steward.failedChecks('pat_1.0.101'), { interval: 300 }).toEqual([]);
    expect(await imageManagers(scenario, 'web')).toEqual(['kubectl-client-side-apply']);
    account.remove();
    await steward.end('SIGTERM');
    steward = await scenario.steward();
  });

  test('[UPG18] images that kubectl wrote once are taken over, and the plan warns of it', async () => {
    expect(await imageManagers(scenario, 'web')).toEqual(['kubectl-client-side-apply']);
    const { verdict, text, todo } = await steward.check('pat_1.0.101', 'owners');
    expect(verdict).toBe('warn');
    expect(text).toContain('Deployment/web (kubectl-client-side-apply)');
    expect(todo).toContain('would replace them');
    await steward.upgrade('pat_1.0.101');
    await steward.untilEnd('success');
    expect(await imageManagers(scenario, 'web')).toEqual(['steward']);
    expect(await scenario.configured()).toEqual(references(second));
    await expectRunning(scenario, second);
    // The fields of other tools stay theirs.
    expect((await scenario.read('deployment', 'web'))?.metadata.managedFields?.map(({ manager }) => manager)).toContain(
      'kubectl-client-side-apply',
    );
  });

  test('[UPG18] a loop that puts the old image back during the job is reported by the name of its field manager', async () => {
    // The second wave waits, so that the image of the first is put back after it was done.
    scenario.hold('owners-api 3.0');
    await steward.upgrade('pat_1.0.102');
    await steward.untilSaid(/Deployment\/web is updated/);
    const state = { isOver: false };
    const old = references(second)[WEB] ?? '';
    const loop = (async () => {
      while (!state.isOver) await scenario.applyAs('shop-operator', webWithImage(old));
    })();
    try {
      await steward.untilSaid(/shop-operator/);
    } finally {
      scenario.release('owners-api 3.0');
      const ended = await steward.untilEnd('rolled_back').finally(() => {
        state.isOver = true;
      });
      const failure = ended.messages.find(({ code }) => code === CODE.stepFailed);
      expect(failure?.message).toMatch(/The image of `Deployment\/web` was changed by `shop-operator` during the job/);
      await loop;
    }
    expect(await scenario.configured()).toEqual(references(second));
    await expectRunning(scenario, second);
    await expect.poll(() => scenario.mode()).toMatchObject({ isReadOnly: 'false' });
    // It is in neither list of managers, so the next plan counts it as one that reconciles.
    const { verdict, text } = await steward.check('pat_1.0.102', 'owners');
    expect(verdict).toBe('fail');
    expect(text).toContain('Deployment/web (shop-operator)');
  });
});
