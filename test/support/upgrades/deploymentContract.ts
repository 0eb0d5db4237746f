import { expect, test } from 'vitest';
import type { Act, Deployment, Observation } from '../../../src/upgrades/ports/deployment.ts';
import type { Hook } from '../../../src/model/hook.ts';
import { DeploymentRefusal } from '../../../src/model/failure.ts';
import type { Image, Manager } from '../../../src/model/workload.ts';

export interface DeploymentUnderTest {
  readonly deployment: Deployment;
  readonly workload: string;
  /** Other images for the workload. */
  readonly next: readonly Image[];
  /** The same images with a wrong checksum. */
  readonly wrong: readonly Image[];
  readonly hook: Hook;
  /** Lets time pass until all begun acts have ended. */
  settle(): Promise<void>;
  /** Makes the next rollout of the workload fail, and answers a function that repairs it. */
  breakNext(): Promise<() => Promise<void>>;
  /** Makes the next rollout of the workload fail for a while, and then become healthy by itself. */
  breakForAWhile(): Promise<void>;
  /** Keeps the next rollout of the workload from being complete, for a reason that the deployment knows. */
  stall(): Promise<void>;
  /** Lets the deployment show the next change late. */
  lag(): Promise<void>;
  /** Lets every call hang, until the returned function is called. */
  hang(): Promise<() => Promise<void>>;
  /** Takes the permission to change workloads away, until the returned function is called. */
  forbid(): Promise<() => Promise<void>>;
  /** Lets another controller revert the next change of the workload. */
  revertNext(): Promise<void>;
  /** Gives the image fields of the workload another manager. */
  manage(manager: Manager): Promise<void>;
  /** Puts an obstacle in the way of a change of the workload. */
  block(): Promise<void>;
}

/** Defines the tests that every deployment passes. */
export function deploymentContract(open: () => Promise<DeploymentUnderTest>): void {
  async function opened() {
    const tested = await open();
    const { deployment, workload, next } = tested;
    const images: Act = { kind: 'images', workload, images: next };
    const look = async (act: Act): Promise<Observation> =>
      (await deployment.observe([act]))[0] ?? Promise.reject(new Error('nothing was observed'));
    const told = async (): Promise<readonly Image[]> =>
      (await deployment.inventory()).workloads.find(({ name }) => name === workload)?.images ?? [];
    return { ...tested, images, look, told };
  }

  test('[UPG12] images are absent, then running, then done, and then they are in the inventory', async () => {
    const { deployment, images, look, settle, told, next } = await opened();
    expect(await look(images)).toEqual({ state: 'absent' });
    expect(await deployment.begin(images, 1)).toMatchObject({ kind: 'begun' });
    expect(await look(images)).toMatchObject({ state: 'running', detail: expect.stringMatching(/\w/) });
    await settle();
    expect(await look(images)).toMatchObject({ state: 'done' });
    expect(await told()).toEqual(expect.arrayContaining([...next]));
  });

  test('[K1] a rollout that is held back runs, and tells what keeps it and what to do about that', async () => {
    const { deployment, images, look, stall } = await opened();
    await stall();
    await deployment.begin(images, 1);
    await expect
      .poll(() => look(images), { timeout: 20_000, interval: 300 })
      .toMatchObject({
        state: 'running',
        trouble: { reason: expect.stringMatching(/^\d.*[^.]\.$/s), advice: expect.stringMatching(/^[A-Z].*\.$/s) },
      });
  });

  test('[UPG11] an act that is begun twice is done once', async () => {
    const { deployment, images, hook, look, settle } = await opened();
    const run: Act = { kind: 'hook', hook, run: 'once' };
    for (const act of [images, run]) {
      await deployment.begin(act, 1);
      await deployment.begin(act, 1);
      await settle();
      const end = await look(act);
      expect(end).toMatchObject({ state: 'done' });
      expect(await deployment.begin(act, 1)).toMatchObject({ kind: 'begun' });
      expect(await look(act)).toEqual(end);
    }
  });

  test('[UPG11] another run of a hook is another act', async () => {
    const { deployment, hook, look, settle } = await opened();
    await deployment.begin({ kind: 'hook', hook, run: 'first' }, 1);
    await settle();
    expect(await look({ kind: 'hook', hook, run: 'second' })).toEqual({ state: 'absent' });
  });

  test('[UPG11] an act with an older fence is refused, and one with the newest fence goes on', async () => {
    const { deployment, images, look } = await opened();
    await deployment.takeOver(7);
    await deployment.takeOver(5);
    expect(await deployment.begin(images, 6)).toEqual({ kind: 'overtaken' });
    expect(await look(images)).toEqual({ state: 'absent' });
    expect(await deployment.begin(images, 7)).toMatchObject({ kind: 'begun' });
    expect(await look(images)).toMatchObject({ state: 'running' });
  });

  test('[UPG12] images with a wrong checksum are never done', async () => {
    const { deployment, workload, wrong, look, settle } = await opened();
    const act: Act = { kind: 'images', workload, images: wrong };
    expect((await deployment.findImages(wrong)).map(({ kind }) => kind)).toContain('differs');
    await deployment.begin(act, 1);
    await settle();
    expect(await look(act)).toMatchObject({ state: 'failed', failure: { reason: expect.stringContaining(workload) } });
  });

  test('[UPG13] a failed rollout says why and what to do, and succeeds when it is begun again after the repair', async () => {
    const { deployment, images, look, settle, breakNext, workload } = await opened();
    const putRight = await breakNext();
    await deployment.begin(images, 1);
    await settle();
    const failure = { reason: expect.stringContaining(workload), advice: expect.stringMatching(/\w+\.$/) };
    expect(await look(images)).toMatchObject({ state: 'failed', failure });
    await putRight();
    await deployment.begin(images, 1);
    await settle();
    expect(await look(images)).toMatchObject({ state: 'done' });
  });

  test('[UPG13] a failed rollout can be undone', async () => {
    const { deployment, workload, images, look, settle, breakNext, told } = await opened();
    const before = await told();
    await breakNext();
    await deployment.begin(images, 1);
    await settle();
    const back: Act = { kind: 'images', workload, images: before };
    await deployment.begin(back, 1);
    await settle();
    expect(await look(back)).toMatchObject({ state: 'done' });
    expect(await told()).toEqual(before);
  });

  test('an act on an unknown workload is refused with the reason', async () => {
    const { deployment, next } = await opened();
    const begun = await deployment.begin({ kind: 'images', workload: 'no-such-workload', images: next }, 1);
    expect(begun).toMatchObject({ kind: 'refused', failure: { reason: expect.stringContaining('no-such-workload') } });
  });

  test('one observation shows many acts in their order', async () => {
    const { deployment, images, hook } = await opened();
    await deployment.begin(images, 1);
    const acts: Act[] = [{ kind: 'hook', hook, run: 'none' }, images, { kind: 'licence', content: 'none' }];
    expect((await deployment.observe(acts)).map(({ state }) => state)).toEqual(['absent', 'running', 'absent']);
  });

  test('[UPG13] a failed rollout that becomes healthy by itself is done', async () => {
    const { deployment, images, look, settle, breakForAWhile } = await opened();
    await breakForAWhile();
    await deployment.begin(images, 1);
    await settle();
    expect(await look(images)).toMatchObject({ state: 'done' });
  });

  test('[UPG18] what was begun is never observed as absent, even if the deployment shows it late', async () => {
    const { deployment, images, look, settle, lag } = await opened();
    await lag();
    const begun = await deployment.begin(images, 1);
    const receipt = begun.kind === 'begun' ? begun.receipt : undefined;
    const [seen] = await deployment.observe([{ ...images, receipt }]);
    expect(['unknown', 'running', 'done']).toContain(seen?.state);
    await settle();
    expect(await look(images)).toMatchObject({ state: 'done' });
  });

  test('[UPG18] images that another controller reverts are absent', async () => {
    const { deployment, images, look, settle, revertNext } = await opened();
    await revertNext();
    await deployment.begin(images, 1);
    await settle();
    expect(await look(images)).toMatchObject({ state: 'absent' });
  });

  test('[UPG18] a manager that reconciles is in the inventory, and a change against it is refused with its name', async () => {
    const { deployment, workload, images, look, manage } = await opened();
    const manager = { name: 'some-controller', reconciles: true };
    await manage(manager);
    const { workloads } = await deployment.inventory();
    expect(workloads.find(({ name }) => name === workload)?.managers).toEqual([manager]);
    const reason = expect.stringContaining(manager.name);
    expect(await deployment.begin(images, 1)).toMatchObject({ kind: 'refused', failure: { reason } });
    expect(await look(images)).toEqual({ state: 'absent' });
  });

  test('[UPG18] a change takes over the fields from a manager that wrote them once', async () => {
    const { deployment, workload, images, look, settle, manage } = await opened();
    await manage({ name: 'some-installer', reconciles: false });
    expect(await deployment.begin(images, 1)).toMatchObject({ kind: 'begun' });
    await settle();
    expect(await look(images)).toMatchObject({ state: 'done' });
    const { workloads } = await deployment.inventory();
    expect(workloads.find(({ name }) => name === workload)?.managers).toEqual([]);
  });

  test('[UPG10] a workload that cannot be changed now says why, and a change is refused with the reason', async () => {
    const { deployment, workload, images, look, block } = await opened();
    await block();
    const { workloads } = await deployment.inventory();
    const blocked = workloads.find(({ name }) => name === workload)?.blocked;
    expect(blocked).toMatch(/\w/);
    const reason = expect.stringContaining(String(blocked));
    expect(await deployment.begin(images, 1)).toMatchObject({ kind: 'refused', failure: { reason } });
    expect(await look(images)).toEqual({ state: 'absent' });
  });

  test('[UPG10] a rehearsal changes nothing, and says what would be refused', async () => {
    const { deployment, workload, next, images, look, block } = await opened();
    const unknown: Act = {
      kind: 'images',
      workload,
      images: [{ ...next[0], container: 'no-such-container' } as Image],
    };
    expect(await deployment.rehearse([images])).toEqual([undefined]);
    expect(await look(images)).toEqual({ state: 'absent' });
    const [accepted, refused] = await deployment.rehearse([images, unknown]);
    expect([accepted, refused?.reason]).toEqual([undefined, expect.stringContaining('no-such-container')]);
    const [absent] = await deployment.rehearse([{ kind: 'images', workload: 'no-such-workload', images: next }]);
    expect(absent?.reason).toContain('no-such-workload');
    await block();
    expect(await deployment.rehearse([images])).toEqual([expect.objectContaining({ reason: expect.any(String) })]);
  });

  test('[UPG10] a rehearsal without the permission says which is missing', async () => {
    const { deployment, images, forbid } = await opened();
    const allow = await forbid();
    expect((await deployment.rehearse([images]))[0]?.reason).toContain('permission');
    await allow();
  });

  test('[U29] [UPG6] each check of the driver has its own name, and answers by itself', async () => {
    const { deployment } = await opened();
    const names = deployment.diagnostics.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { run } of deployment.diagnostics)
      expect(await run()).toMatchObject({ verdict: expect.any(String), text: expect.any(String) });
  });

  test('[UPG21] a call that hangs ends when its signal aborts', async () => {
    const { deployment, images, hook, hang } = await opened();
    const proceed = await hang();
    const act = { kind: 'hook', hook, run: 'hanging' } as const;
    const calls: ((signal: AbortSignal) => Promise<unknown>)[] = [
      (signal) => deployment.inventory(signal),
      (signal) => deployment.findImages([], signal),
      ...deployment.diagnostics.map(({ run }) => run),
      (signal) => deployment.rehearse([images], signal),
      (signal) => deployment.takeOver(1, signal),
      (signal) => deployment.begin(images, 1, signal),
      (signal) => deployment.observe([images], signal),
      (signal) => deployment.abandon(act, 1, signal),
      (signal) => deployment.showMode({ isReadOnly: true, message: '', revision: 1 }, signal),
      (signal) => deployment.rehearseMode(signal),
    ];
    for (const call of calls) {
      const stop = new AbortController();
      const answer = call(stop.signal);
      stop.abort();
      await expect(answer).rejects.toBeInstanceOf(Error);
    }
    await proceed();
    await deployment.inventory();
  });

  test('[UPG21] a change without the permission is refused for good, and the failure names the permission', async () => {
    const { deployment, images, look, forbid } = await opened();
    const allow = await forbid();
    const refusal = await deployment.begin(images, 1).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DeploymentRefusal);
    expect(refusal).toMatchObject({ failure: { reason: expect.stringContaining('permission') } });
    expect(await look(images)).toEqual({ state: 'absent' });
    await allow();
    expect(await deployment.begin(images, 1)).toMatchObject({ kind: 'begun' });
  });

  test('[UPG21] a hook that is abandoned does not end later, and an overtaken holder cannot abandon it', async () => {
    const { deployment, hook, look, settle } = await opened();
    const act = { kind: 'hook', hook, run: 'given up' } as const;
    await deployment.takeOver(3);
    await deployment.begin(act, 3);
    expect(await deployment.abandon(act, 2)).toMatchObject({ kind: 'left' });
    expect(await look(act)).toMatchObject({ state: 'running' });
    expect(await deployment.abandon(act, 3)).toEqual({ kind: 'stopped' });
    await settle();
    expect((await look(act)).state).not.toBe('done');
  });
}
