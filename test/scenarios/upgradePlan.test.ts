import { describe, expect, test } from 'vitest';
import { HOUR } from '../../src/foundation/clock.ts';
import { requestFor } from '../../src/console/actions/requests.ts';
import type { Inventory } from '../../src/model/workload.ts';
import { FINAL_HOOKS } from '../support/upgrades/faultCases.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import { everything, licensed, settings } from '../support/upgrades/upgradeFields.ts';
import { CODE } from '../support/upgrades/codes.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
const PLAN = '/admin/system/upgrades/plan';
const UPGRADE = '/admin/system/upgrades/upgrade';

let steward: UpgradeServer;

const servers = serversForTests();

async function start(...options: Parameters<typeof servers.own>): Promise<UpgradeServer> {
  steward = await servers.own(...options);
  return steward;
}

async function startShared(...options: Parameters<typeof servers.shared>): Promise<UpgradeServer> {
  steward = await servers.shared(...options);
  return steward;
}

interface Check {
  readonly name: string;
  readonly verdict: string;
  readonly text: string;
  readonly todo: string;
}

const failing = (checks: readonly Check[]): readonly string[] =>
  checks.filter(({ verdict }) => verdict === 'fail').map(({ name }) => name);
const checkOf = (checks: readonly Check[], name: string): Check | undefined => checks.find((one) => one.name === name);

const refill = (inventory: Inventory): Promise<void> => steward.simulated.fill(inventory);

const withoutBackup = (inventory: Inventory): Inventory => ({
  ...inventory,
  hooks: inventory.hooks.filter((hook) => hook !== 'backup'),
});

describe('[UPG10] the plan of an upgrade', () => {
  test('[DEC56] a plan has all checks, steps, images from and to, the point of no return, an estimate and a hash, and changes nothing', async () => {
    const { must, versions } = await startShared();
    const fields = { versionManifest: RELEASE, ...(await licensed(steward)) };
    const before = await everything(steward);
    const plan = await must(PLAN, fields);
    expect(await everything(steward)).toEqual(before);
    expect(plan).toMatchObject({ id: RELEASE, from: '10.9.1.1800', to: '11.0.2187', canStart: true, simulated: true });
    expect(plan.checks.map(({ name }: Check) => name)).toEqual(
      'settings,licence,images,containers,changes,health,owners,blocked,rehearsal,drift,database,hooks,restorePoint,volumes,rights,nodes,quota,disk'.split(
        ',',
      ),
    );
    for (const { verdict, text, todo } of plan.checks)
      expect([verdict, text === '', todo]).toEqual(['pass', false, '']);
    const steps: readonly { readonly step: string; readonly canBeUndone: boolean }[] = plan.steps;
    expect(steps.map(({ step }) => step)).toEqual([
      'licence',
      'hook/backup',
      ...'readOnly,promote,engine,afterEngine,readWrite,roles,standby'.split(',').map((phase) => `database/${phase}`),
      'release',
      'patch',
      ...FINAL_HOOKS.map((hook) => `hook/${hook}`),
    ]);
    expect(plan.pointOfNoReturn).toBe('database/readWrite');
    expect(steps.find(({ canBeUndone }) => !canBeUndone)?.step).toBe('database/readWrite');
    const leg = plan.steps.find(({ step }: { step: string }) => step === 'release');
    const [old, next] = ['rel_10.9.1', RELEASE].map((id) => versions.find((one) => one.id === id)?.containers[0]);
    expect(leg.waves).toHaveLength(4);
    expect(leg.waves[0][0]).toMatchObject({ workload: 'object-store', component: 'data-store', module: 'storage' });
    expect(leg.waves[0][0].images).toEqual([
      { container: 'object-store', from: old?.image, to: next?.image, checksum: next?.checksum },
    ]);
    expect(plan.planHash).toMatch(/^[\da-f]{64}$/);
    expect(plan.estimate.totalMs).toBe(
      plan.steps.reduce((sum: number, { estimateMs }: { estimateMs: number }) => sum + estimateMs, 0),
    );
    expect(plan.estimate.totalMs).toBeGreaterThan(1000);
  });

  test('a plan shows the step for a licence, whether it was uploaded or sent as a file', async () => {
    const { postParts, must } = await startShared();
    const planned = await postParts(PLAN, [
      { name: 'versionManifest', content: RELEASE },
      { name: 'upgradeSettings', content: '{}' },
      { name: 'licenseFile', content: JSON.stringify(await must('/admin/demo/licence')), fileName: 'l.json' },
    ]);
    expect(planned.body.steps[0]).toMatchObject({ step: 'licence' });
  });

  test('the plan of a patch has one step, which can be undone', async () => {
    const { must } = await startShared();
    const plan = await must(PLAN, { versionManifest: PATCH });
    expect(plan.steps.map(({ step }: { step: string }) => step)).toEqual(['patch']);
    expect(plan.pointOfNoReturn).toBeNull();
    expect(checkOf(plan.checks, 'restorePoint')).toMatchObject({ verdict: 'pass' });
  });

  test('[UPG18] a tool that wrote images once is a warning, and a workload that cannot be changed now fails the plan', async () => {
    const { must } = await startShared({
      inventory: (inventory) => ({
        ...inventory,
        workloads: inventory.workloads.map((one, n) => ({
          ...one,
          managers: n === 1 ? [{ name: 'kubectl-client-side-apply', reconciles: false }] : [],
          blocked: n === 2 ? 'its rollout is paused' : undefined,
        })),
      }),
    });
    const { checks, canStart } = await must(PLAN, { versionManifest: RELEASE, ...(await licensed(steward)) });
    expect([canStart, failing(checks)]).toEqual([false, ['blocked']]);
    expect(checkOf(checks, 'blocked')?.text).toContain('its rollout is paused');
    expect(checkOf(checks, 'owners')).toMatchObject({
      verdict: 'warn',
      text: expect.stringContaining('kubectl-client-side-apply'),
      todo: expect.stringContaining('next run'),
    });
  });

  test('[K5] [UPG18] acknowledge turns the failure into a warning for one workload, is part of the hash, and is audited', async () => {
    const { must, post, upgrade, untilEnd } = await start({
      inventory: (inventory) => ({
        ...inventory,
        workloads: inventory.workloads.map((one, n) => ({
          ...one,
          managers: n === 1 ? [{ name: 'Argo CD', reconciles: true }] : [],
        })),
      }),
    });
    const fields = { versionManifest: RELEASE, ...(await licensed(steward)) };
    const failed = await must(PLAN, fields);
    expect([failed.canStart, failing(failed.checks)]).toEqual([false, ['owners']]);
    const name = /of ([\w-]+) \(Argo CD\)/.exec(checkOf(failed.checks, 'owners')?.text ?? '')?.[1] ?? '';
    const unknown = await post(PLAN, { ...fields, acknowledge: `${name}x` });
    expect([unknown.status, unknown.body.error.details]).toEqual([
      400,
      [`acknowledge: the deployment has no workload "${name}x"; the nearest is ${name}`],
    ]);
    expect((await post(PLAN, { ...fields, acknowledge: 'no name' })).status).toBe(400);
    const plan = await must(PLAN, { ...fields, acknowledge: name });
    expect([plan.canStart, failing(plan.checks)]).toEqual([true, []]);
    expect(plan.planHash).not.toBe(failed.planHash);
    expect(checkOf(plan.checks, 'owners')).toMatchObject({
      verdict: 'warn',
      text: expect.stringContaining(`${name} (Argo CD, acknowledged)`),
    });
    expect((await post(UPGRADE, { ...fields, planHash: plan.planHash })).status).toBe(409);
    await upgrade(RELEASE, { ...(await licensed(steward)), acknowledge: name, planHash: plan.planHash });
    expect(await untilEnd()).toMatchObject({ state: 'success' });
    expect(JSON.stringify(await must('/admin/security/audit'))).toContain(name);
  });

  test('[UPG18] a plan runs every check, lists all obstacles together, and says what to do', async () => {
    const { must, simulated } = await startShared({
      inventory: (inventory) => ({
        ...withoutBackup(inventory),
        workloads: inventory.workloads.map((one, n) => ({
          ...one,
          managers: n === 1 ? [{ name: 'some-gitops', reconciles: true }] : [],
          trouble: n === 2 ? 'it does not answer' : undefined,
        })),
      }),
    });
    await simulated.addFault({ kind: 'imageAbsent', workload: 'object-store' });
    await simulated.addFault({ kind: 'checksumDiffers', workload: 'permissions' });
    await simulated.addFault({ kind: 'quota' });
    await simulated.addFault({ kind: 'diskFull' });
    const { checks, canStart } = await must(PLAN, { versionManifest: RELEASE, ...(await licensed(steward)) });
    expect([canStart, failing(checks)]).toEqual([false, ['images', 'owners', 'restorePoint', 'quota', 'disk']]);
    expect(checkOf(checks, 'images')?.text).toMatch(/^\d+ of \d+ images .*object-store.* is missing/);
    expect(checkOf(checks, 'images')?.text).toContain('another one in the manifest');
    expect(checkOf(checks, 'owners')).toMatchObject({
      text: 'Another manager would revert the images of scheduler (some-gitops).',
      todo: expect.stringContaining('Pause'),
    });
    expect(checkOf(checks, 'health')).toMatchObject({
      verdict: 'warn',
      text: expect.stringContaining('it does not answer'),
    });
    expect(checkOf(checks, 'hooks')).toMatchObject({
      verdict: 'warn',
      text: expect.stringContaining('left out: backup.'),
    });
    for (const { verdict, todo } of checks) expect(todo === '').toBe(verdict === 'pass');
  });

  test('[UPG6] plan and upgrade never disagree: what fails a check of the plan is refused, with every failed check, and nothing is changed', async () => {
    const { must, post, simulated } = await startShared();
    const faults = [
      { kind: 'imageAbsent', workload: 'object-store' },
      { kind: 'conflict', workload: 'object-store' },
      { kind: 'quota' },
      { kind: 'diskFull' },
    ] as const;
    for (const fault of faults) await simulated.addFault(fault);
    const { checks } = await must(PLAN, { versionManifest: PATCH });
    const before = await everything(steward);
    const { status, body } = await post(UPGRADE, { versionManifest: PATCH });
    expect([status, body.error.message]).toEqual([
      409,
      'The upgrade to 10.9.1.1842 was not started, because 4 checks fail. Nothing was changed.',
    ]);
    expect(body.error.details).toEqual(
      checks
        .filter(({ verdict }: Check) => verdict === 'fail')
        .map(({ name, text, todo }: Check) => `${name}: ${text} ${todo}`),
    );
    expect(await everything(steward)).toEqual(before);
  });

  test('[U29] [UPG6] a check that hangs or throws hides no other, one that does not answer within 10 s is unknown, the upgrade is accepted, and the job decides the check', async () => {
    const { post, simulated, untilEnd, clock, areas } = await start();
    const { diagnostics } = simulated;
    let isHanging = true;
    const hang = new Promise<never>(() => undefined);
    const troubled: Readonly<Record<string, () => Promise<never>>> = {
      quota: () => hang,
      nodes: () => Promise.reject(new Error('the list of nodes is broken')),
    };
    const disturbed = diagnostics.map(({ name, run }) => ({ name, run: (isHanging && troubled[name]) || run }));
    Object.defineProperty(simulated, 'diagnostics', { get: () => (isHanging ? disturbed : diagnostics) });
    const asked = clock.now();
    const answer = async (address: string) => {
      const answered = post(address, { versionManifest: PATCH });
      return clock.until('the answer', answered);
    };
    const { body } = await answer(PLAN);
    const told = ['rights', 'nodes', 'quota', 'disk'].map((name) => checkOf(body.checks, name));
    expect(told).toMatchObject([
      { verdict: 'pass' },
      { verdict: 'unknown', text: 'The check could not run: the list of nodes is broken.' },
      { verdict: 'unknown', text: 'The check got no answer within 10 s.' },
      { verdict: 'pass' },
    ]);
    for (const check of told.filter((one) => one?.verdict === 'unknown'))
      expect(check?.todo).toBe(
        'If the upgrade is started now, its job runs this check again before it changes anything.',
      );
    expect([body.canStart, clock.now() - asked]).toEqual([true, 10_000]);
    expect((await answer(UPGRADE)).status).toBe(200);
    isHanging = false;
    await simulated.addFault({ kind: 'quota' });
    expect(await untilEnd()).toMatchObject({ state: 'rolled_back' });
    expect((await areas.upgrades.facts()).latest?.phase).toBe('ended');
  });

  test('[U30] the plan and the message 2288 of the job count the same checks', async () => {
    const { must, upgrade, untilEnd } = await startShared();
    const { checks } = await must(PLAN, { versionManifest: PATCH });
    await upgrade(PATCH);
    const { messages } = await untilEnd();
    const told = messages.find(({ code }) => code === CODE.diagnosticsCompleted)?.message ?? '';
    const counts = [...told.matchAll(/\d+/g)].map(([count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(checks.length);
  });

  test('[U30] the check rehearsal gives each reason once, with the workloads that it keeps from being changed', async () => {
    const { must, simulated } = await startShared();
    await simulated.addFault({ kind: 'forbidden' });
    const { checks } = await must(PLAN, { versionManifest: PATCH });
    const { verdict, text = '' } = checkOf(checks, 'rehearsal') ?? {};
    const [, refused = '', reasons = ''] = /would refuse (\d+) of \1 changes: (.*)\.$/.exec(text) ?? [];
    expect([verdict, Number(refused) > 1]).toEqual(['fail', true]);
    expect(reasons.split('permission')).toHaveLength(2);
    expect(reasons).toMatch(/ \([\w-]+(?:, [\w-]+)+.*\)$/);
  });

  test('a plan is kept for one hour, and an unknown one is refused', async () => {
    const { must, post, clock } = await startShared();
    const { planHash } = await must(PLAN, { versionManifest: PATCH });
    const unknown = { versionManifest: PATCH, planHash: 'a'.repeat(64) };
    const refused = await post(UPGRADE, unknown);
    expect([refused.status, refused.body.error.details[0]]).toEqual([
      409,
      'planHash: unknown plan; plans are kept for one hour',
    ]);
    await steward.simulated.addFault({ kind: 'quota' });
    clock.advance(HOUR);
    const known = await post(UPGRADE, { versionManifest: PATCH, planHash });
    expect(known.body.error.details).toContain('planHash: check quota: it was pass, it is now fail');
    clock.advance(1);
    const expired = await post(UPGRADE, { versionManifest: PATCH, planHash });
    expect(expired.body.error.details).toContain('planHash: unknown plan; plans are kept for one hour');
  });

  test('[UPG7] the plan hash covers the target: a plan for one patch does not start another', async () => {
    const { must, post, postParts, versions } = await start();
    const later = { ...versions[1], id: 'pat_later', build: '1850' };
    await postParts('/admin/system/upgrades/importManifest', [
      { name: 'versionManifestFile', content: JSON.stringify([later]), fileName: 'm.json' },
    ]);
    const { planHash, to } = await must(PLAN, { versionManifest: PATCH });
    expect(to).toBe('10.9.1.1842');
    const { status, body } = await post(UPGRADE, { versionManifest: 'pat_later', planHash });
    expect([status, body.error.details[0]]).toEqual([
      409,
      'planHash: target: it was pat_10.9.1.1842, from 10.9.1.1800 to 10.9.1.1842, it is now pat_later, from 10.9.1.1800 to 10.9.1.1850',
    ]);
  });

  test('[UPG30] a failed check that a fault causes says to remove it, one of another manager to plan with acknowledge, and any other to plan again', async () => {
    const { must, simulated } = await start({ inventory: withoutBackup });
    const { inventory } = simulated;
    const troubled = async (signal?: AbortSignal): Promise<Inventory> => {
      const { database, ...found } = await inventory(signal);
      return { ...found, database: database && { ...database, trouble: 'The standby does not answer.' } };
    };
    Object.defineProperty(simulated, 'inventory', { get: () => troubled });
    const owned = await simulated.addFault({ kind: 'conflict', workload: 'scheduler' });
    const absent = await simulated.addFault({ kind: 'imageAbsent', workload: 'object-store' });
    const forbidden = await simulated.addFault({ kind: 'forbidden' });
    const sent = await licensed(steward);
    const { checks } = await must(PLAN, { versionManifest: RELEASE, ...sent });
    const actions = (name: string) => checks.find((one: Check) => one.name === name)?.nextActions;
    const remove = ({ id }: { readonly id: string }) => ({ action: 'removeFault', parameters: { fault: id } });
    const upgradeSettings = expect.objectContaining({ userInputs: expect.any(Array) });
    const parameters = { versionManifest: RELEASE, upgradeSettings };
    expect(failing(checks)).toEqual(['images', 'owners', 'rehearsal', 'database', 'restorePoint', 'rights']);
    expect(actions('images')).toEqual([remove(absent)]);
    expect(actions('owners')).toEqual([
      remove(owned),
      { action: 'planAgain', parameters: { ...parameters, acknowledge: ['scheduler'] } },
    ]);
    expect([actions('rehearsal'), actions('rights')]).toEqual([[remove(forbidden)], [remove(forbidden)]]);
    for (const name of ['database', 'restorePoint'])
      expect(actions(name)).toEqual([{ action: 'planAgain', parameters }]);
    await simulated.removeFaults(undefined);
    await simulated.addFault({ kind: 'conflict', workload: 'scheduler' });
    const [, again] = actions('owners');
    const planned = await must(PLAN, requestFor(again)?.fields ?? {});
    expect(failing(planned.checks)).toEqual(['database', 'restorePoint']);
  });

  test('[UPG30] a plan for a deployment that does not answer says to remove the fault that causes it', async () => {
    const { must, simulated } = await startShared();
    const { id } = await simulated.addFault({ kind: 'apiErrors', seconds: 60 });
    const { checks } = await must(PLAN, { versionManifest: PATCH });
    expect(checkOf(checks, 'deployment')).toMatchObject({
      verdict: 'fail',
      nextActions: [{ action: 'removeFault', parameters: { fault: id } }],
    });
  });

  test.each(['apiErrors', 'apiHangs'] as const)(
    '[U29] [UPG6] with the fault %s of the whole deployment, the plan shows what it knows within 10 s, and the upgrade is refused for the same reason',
    async (kind) => {
      const { post, simulated, clock } = await startShared();
      await simulated.addFault({ kind, seconds: 60 });
      const asked = clock.now();
      const answer = async (address: string) => {
        const fields = { versionManifest: RELEASE, upgradeSettings: '{}' };
        return clock.until('the answer', post(address, fields));
      };
      const { status, body } = await answer(PLAN);
      expect([status, body.canStart, body.steps, body.pointOfNoReturn]).toEqual([200, false, [], null]);
      expect(clock.now() - asked).toBeLessThanOrEqual(10_000);
      const verdicts = body.checks.map(({ name, verdict }: Check) => `${name} ${verdict}`);
      expect(verdicts).toEqual(
        expect.arrayContaining([
          'settings pass',
          'licence fail',
          'deployment fail',
          'images unknown',
          'rights unknown',
        ]),
      );
      const undecided = body.checks.filter(({ verdict }: Check) => verdict === 'unknown');
      expect(new Set(undecided.map(({ todo }: Check) => todo))).toEqual(
        new Set(['Plan again when the deployment answers.']),
      );
      const refused = await answer(UPGRADE);
      expect([refused.status, refused.body.error.message]).toEqual([503, expect.stringContaining('cannot be reached')]);
      expect(refused.body.error.details).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^settings \(pass\): /),
          expect.stringMatching(/^licence \(fail\): /),
        ]),
      );
    },
  );

  test('an upgrade with the hash of a plan is accepted, and refused once the deployment has changed', async () => {
    const { must, post, simulated, untilEnd, versions } = await startShared();
    const { planHash } = await must(PLAN, { versionManifest: PATCH });
    expect((await must(PLAN, { versionManifest: PATCH })).planHash).toBe(planHash);
    const inventory = await simulated.inventory();
    const first = inventory.workloads[0]?.name;
    const changes: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
      [() => refill({ ...inventory, hooks: [] }), /hooks: it was auto-deployed-services.*, it is now none$/],
      [
        () => refill({ ...inventory, workloads: inventory.workloads.slice(1) }),
        new RegExp(`running images of ${first}: it was .*, it is now none$`),
      ],
      [() => refill({ ...inventory, volumes: [] }), /volume log-store: it was 100Gi standard, it is now none$/],
      [
        () => simulated.addFault({ kind: 'conflict', workload: 'permissions' }),
        /managers of permissions: it was none, it is now demo-gitops-controller \(reconciles\)$/,
      ],
      [() => simulated.addFault({ kind: 'quota' }), /check quota: it was pass, it is now fail$/],
      [
        () =>
          refill({
            ...inventory,
            workloads: inventory.workloads.map((one) => ({
              ...one,
              images: one.images.map((image) => ({
                ...image,
                ...versions[2]?.containers.find(({ name }) => name === image.container),
              })),
            })),
          }),
        /running images of object-store: it was .*10\.9\.1@.*, it is now .*11\.0@/,
      ],
    ];
    for (const [change, words] of changes) {
      await change();
      const before = await everything(steward);
      const { status, body } = await post(UPGRADE, { versionManifest: PATCH, planHash });
      expect(status).toBe(409);
      expect(body.error.details).toContainEqual(expect.stringMatching(words));
      expect(body.error.details.at(-1)).toContain('planHash: make a new plan');
      expect(await everything(steward)).toEqual(before);
      await simulated.removeFaults(undefined);
      await refill(inventory);
    }
    expect(
      (
        await post(UPGRADE, {
          versionManifest: PATCH,
          planHash,
          upgradeSettings: settings({ volumesConfig: { a: { size: '1Gi' } } }),
        })
      ).status,
    ).toBe(409);
    for (const wrong of ['x', planHash.toUpperCase(), planHash.slice(1), `${planHash}0`])
      expect((await post(UPGRADE, { versionManifest: PATCH, planHash: wrong })).body.error.details).toEqual([
        `planHash: must be a planHash that plan returned, not "${wrong}"`,
      ]);
    await must(UPGRADE, { versionManifest: PATCH, planHash });
    expect(await untilEnd()).toMatchObject({ state: 'success' });
  });

  test('[UPG10] [DEC57] a patch that would leave a workload with another image than that of the installed version is refused, and a release that replaces it is not', async () => {
    const { must, post, simulated, versions } = await startShared();
    const inventory = await simulated.inventory();
    const { steps } = await must(PLAN, { versionManifest: PATCH });
    const patched = new Set(JSON.stringify(steps).match(/(?<="workload":")[^"]+/g));
    const other = inventory.workloads.find(({ name }) => !patched.has(name))?.name ?? '';
    const next = versions.find(({ id }) => id === RELEASE)?.containers ?? [];
    const drifted = inventory.workloads.map((one) => ({
      ...one,
      images: one.images.map((image) => ({
        ...image,
        ...(one.name === other && next.find(({ name }) => name === image.container)),
      })),
    }));
    await refill({ ...inventory, workloads: drifted });
    const plan = await must(PLAN, { versionManifest: PATCH });
    expect([plan.canStart, checkOf(plan.checks, 'drift')]).toMatchObject([
      false,
      { verdict: 'fail', text: expect.stringContaining(`would not replace them: ${other}.`) },
    ]);
    const { status, body } = await post(UPGRADE, { versionManifest: PATCH });
    expect([status, body.error.details.join()]).toEqual([409, expect.stringContaining('drift')]);
    const release = await must(PLAN, { versionManifest: RELEASE, ...(await licensed(steward)) });
    expect(checkOf(release.checks, 'drift')?.verdict).toBe('warn');
  });

  test('[UPG13] a change between acceptance and start is found by the job, which has nothing to undo', async () => {
    const { must, simulated, untilEnd, images } = await startShared();
    const { planHash } = await must(PLAN, { versionManifest: PATCH });
    await must(UPGRADE, { versionManifest: PATCH, planHash });
    const inventory = await simulated.inventory();
    await refill({ ...inventory, volumes: [] });
    const before = await images();
    const { state, messages } = await untilEnd();
    expect(state).toBe('rolled_back');
    expect(messages.find(({ code }) => code === CODE.stepFailed)?.message).toContain('plan');
    expect(messages.at(-1)?.message).toMatch(/nothing/i);
    expect(await images()).toEqual(before);
  });
});

describe('[UPG20] a restore point', () => {
  const restorePoint = async (fields: Readonly<Record<string, string>>): Promise<Check | undefined> =>
    checkOf((await steward.must(PLAN, fields)).checks, 'restorePoint');

  test('a restore point is required if no hook makes one, and a declared one is valid for 24 hours', async () => {
    const { must, clock, post, upgrade, untilEnd } = await start({ inventory: withoutBackup });
    const fields = { versionManifest: RELEASE, ...(await licensed(steward)) };
    expect(await restorePoint(fields)).toMatchObject({
      verdict: 'fail',
      text: 'No restore point exists.',
      todo: expect.stringContaining('withoutRestorePoint=true'),
    });
    const declare = (ageMs: number) =>
      must('/admin/system/upgrades/declareRestorePoint', { name: 'nightly 7', madeAt: String(clock.now() - ageMs) });
    const old = String(clock.now() - 24 * HOUR - 1);
    const refused = await post('/admin/system/upgrades/declareRestorePoint', { name: 'nightly 6', madeAt: old });
    expect([refused.status, refused.body.error.details]).toEqual([
      400,
      [expect.stringMatching(/^madeAt: must be within the last 24 hours, not 20\d\d-/)],
    ]);
    await declare(24 * HOUR);
    expect(await restorePoint(fields)).toMatchObject({
      verdict: 'pass',
      text: expect.stringContaining('nightly 7 is of 20'),
    });
    clock.advance(1);
    expect(await restorePoint(fields)).toMatchObject({
      verdict: 'fail',
      text: 'The restore point nightly 7 is older than 24 hours.',
    });
    expect((await post('/admin/system/upgrades/declareRestorePoint')).status).toBe(400);
    await declare(HOUR);
    await upgrade(RELEASE, fields);
    const { state, messages } = await untilEnd();
    expect(state).toBe('success');
    expect(messages.find(({ code }) => code === CODE.noRestorePoint)?.message).toContain(
      'the restore point nightly 7 of ',
    );
    expect(messages.some(({ code }) => code === CODE.backupStarted || code === CODE.backupCompleted)).toBe(false);
    const { entries } = await must('/admin/security/audit', { target: 'restore point' });
    expect(entries[0]).toMatchObject({ action: 'restorePoint.declare', after: { name: 'nightly 7' } });
  });

  test('a restore point cannot be declared for a future time', async () => {
    const { post, clock } = await start({ inventory: withoutBackup });
    const madeAt = String(clock.now() + 365 * 24 * HOUR);
    expect((await post('/admin/system/upgrades/declareRestorePoint', { name: 'later', madeAt })).status).toBe(400);
  });

  test('a restore point is declared for now by default', async () => {
    const { must, clock } = await start({ inventory: withoutBackup });
    expect(await must('/admin/system/upgrades/declareRestorePoint', { name: 'now' })).toMatchObject({
      madeAt: clock.now(),
    });
  });

  test('[UPG6] an upgrade without a restore point is refused', async () => {
    const { post } = await start({ inventory: withoutBackup });
    const fields = { versionManifest: RELEASE, ...(await licensed(steward)) };
    const { status, body } = await post(UPGRADE, fields);
    expect([status, body.error.details]).toEqual([
      409,
      [expect.stringMatching(/^restorePoint: No restore point exists\. .*declareRestorePoint/)],
    ]);
  });

  test('a job without a restore point ends before anything is changed', async () => {
    const { upgrade, untilEnd, images, simulated } = await start();
    await upgrade(RELEASE, await licensed(steward));
    await refill(withoutBackup(await simulated.inventory()));
    const [before, { database }] = [await images(), await simulated.inventory()];
    const { state, messages } = await untilEnd();
    expect(state).toBe('rolled_back');
    const said = messages.map(({ message }) => message).join('\n');
    expect(said).toContain('The check `restorePoint` failed: No restore point exists.');
    expect(said).toContain('declareRestorePoint');
    expect(messages.at(-1)?.code).toBe(CODE.rolledBack);
    expect([await images(), (await simulated.inventory()).database]).toEqual([before, database]);
  });

  test('an upgrade without a restore point is allowed if the request says so, and is audited', async () => {
    const { upgrade, untilEnd, must } = await start({ inventory: withoutBackup });
    const fields = { versionManifest: RELEASE, ...(await licensed(steward)), withoutRestorePoint: 'True' };
    expect(await restorePoint(fields)).toMatchObject({
      verdict: 'warn',
      text: expect.stringContaining('withoutRestorePoint is true'),
    });
    const id = await upgrade(RELEASE, fields);
    const { state, messages } = await untilEnd();
    expect(state).toBe('success');
    expect(messages.find(({ code }) => code === CODE.noRestorePoint)?.message).toContain('withoutRestorePoint is true');
    const { entries } = await must('/admin/security/audit', { target: `job ${id}` });
    expect(entries.at(-1)).toMatchObject({ action: 'upgrade.start', after: { withoutRestorePoint: true } });
  });

  test('the hook backup makes a restore point before the point of no return', async () => {
    const { upgrade, untilEnd } = await start();
    await upgrade(RELEASE, await licensed(steward));
    const codes = (await untilEnd()).messages.map(({ code }) => code);
    const order = [
      CODE.backupStarted,
      CODE.backupCompleted,
      CODE.databaseUpgradeStarted,
      CODE.pointOfNoReturn,
      CODE.primarySetReadWrite,
    ].map((code) => codes.indexOf(code));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
  });
});

describe('[UPG19] the operation adopt', () => {
  const manifest = () => ({
    name: 'versionManifestFile',
    content: JSON.stringify(steward.versions),
    fileName: 'manifest.json',
  });
  const adopt = (id: string, ...fields: readonly string[]) =>
    steward.postParts('/admin/system/upgrades/adopt', [
      { name: 'versionManifest', content: id },
      manifest(),
      ...fields.map((name) => ({ name, content: 'true' })),
    ]);

  test('before adopt the version is unknown, and plan and upgrade are refused with the instruction to adopt', async () => {
    const { postParts, must, post, versions } = await start({ isAdopted: false });
    expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({
      known: false,
      id: null,
      fullVersion: 'unknown',
    });
    await postParts('/admin/system/upgrades/importManifest', [{ ...manifest(), name: 'versionManifestFile' }]);
    expect(await must('/admin/system/upgrades/available')).toEqual([]);
    expect(versions[0]).toMatchObject({ id: 'rel_10.9.1', previousVersion: '' });
    for (const address of [PLAN, UPGRADE])
      for (const versionManifest of [PATCH, 'rel_10.9.1']) {
        const { status, body } = await post(address, { versionManifest });
        expect([status, body.error.message]).toEqual([409, expect.stringContaining('Record it with adopt first')]);
      }
  });

  test('adopt shows the differences, changes nothing in a dry run, and is refused unless it is forced', async () => {
    const { must, simulated } = await start({ isAdopted: false });
    const before = await everything(steward);
    const shown = await adopt(RELEASE, 'dryRun');
    expect(shown.body).toMatchObject({ status: 'success', id: RELEASE, fullVersion: '11.0.2100', dryRun: true });
    expect(shown.body.differences).toHaveLength(6);
    expect(shown.body.differences[0]).toMatchObject({
      container: 'object-store',
      workload: 'object-store',
      expected: expect.stringMatching(/^sha256:/),
      running: expect.stringMatching(/^sha256:/),
    });
    const refused = await adopt(RELEASE);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      expect.stringContaining('6 of 6 containers differ'),
    ]);
    expect(refused.body.error.details).toHaveLength(6);
    expect((await adopt('rel_99')).status).toBe(404);
    expect(await everything(steward)).toEqual(before);
    expect((await adopt('rel_10.9.1')).body).toMatchObject({ status: 'success', differences: [] });
    expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({
      fullVersion: '10.9.1.1800',
      how: 'adopt',
    });
    const inventory = await simulated.inventory();
    await refill({
      ...inventory,
      workloads: inventory.workloads.filter(({ name }) => name !== 'object-store'),
    });
    expect((await adopt('rel_10.9.1')).body.error.details).toEqual(['object-store: no workload has this container']);
    expect((await adopt(RELEASE, 'force')).body).toMatchObject({ status: 'success' });
    expect((await must('/admin/system/upgrades/installed')).updates).toMatchObject([{ id: RELEASE, how: 'adopt' }]);
    const { entries } = await must('/admin/security/audit', { target: '11.0.2100' });
    expect(entries[0]).toMatchObject({ action: 'version.adopt', after: { id: RELEASE, differences: 6 } });
    await refill({ ...inventory, workloads: [] });
    expect((await adopt('rel_10.9.1')).body.error.message).toBe(
      'The deployment has no workload with a container of 10.9.1.1800. Check that Steward is configured for the right deployment and selects its workloads.',
    );
  });
});
