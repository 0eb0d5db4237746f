import { expect, test } from 'vitest';
import type { Act, Deployment, Observation } from '../../../src/upgrades/ports/deployment.ts';
import type { Hook } from '../../../src/model/hook.ts';
import type { Image } from '../../../src/model/workload.ts';

export interface DeploymentUnderTest {
  readonly deployment: Deployment;
  readonly workload: string;
  /** What the workload can be told to run in place of what it runs. */
  readonly next: readonly Image[];
  /** The same, held against a checksum that is not its own. */
  readonly wrong: readonly Image[];
  readonly hook: Hook;
  /** Lets pass the time in which whatever was begun comes to its end. */
  settle(): Promise<void>;
  /** Lets the next rollout of the workload fail for good; answers how to put that right. */
  breakNext(): Promise<() => Promise<void>>;
}

/** What every deployment promises, whatever it touches. */
export function deploymentContract(open: () => Promise<DeploymentUnderTest>): void {
  async function opened() {
    const world = await open();
    const { deployment, workload, next } = world;
    const images: Act = { kind: 'images', workload, images: next };
    const look = async (act: Act): Promise<Observation> =>
      (await deployment.observe([act]))[0] ?? Promise.reject(new Error('nothing was observed'));
    const told = async (): Promise<readonly Image[]> =>
      (await deployment.inventory()).workloads.find(({ name }) => name === workload)?.images ?? [];
    return { ...world, images, look, told };
  }

  test('[UPG12] images are absent, then running, then done, and then the inventory tells them', async () => {
    const { deployment, images, look, settle, told, next } = await opened();
    expect(await look(images)).toEqual({ state: 'absent' });
    expect(await deployment.begin(images, 1)).toEqual({ kind: 'begun' });
    expect(await look(images)).toEqual({ state: 'running', detail: expect.stringMatching(/\w/) });
    await settle();
    expect(await look(images)).toMatchObject({ state: 'done' });
    expect(await told()).toEqual(expect.arrayContaining([...next]));
  });

  test('[UPG11] what was begun twice is done once', async () => {
    const { deployment, images, hook, look, settle } = await opened();
    const run: Act = { kind: 'hook', hook, run: 'once' };
    for (const act of [images, run]) {
      await deployment.begin(act, 1);
      await deployment.begin(act, 1);
      await settle();
      const end = await look(act);
      expect(end).toMatchObject({ state: 'done' });
      expect(await deployment.begin(act, 1)).toEqual({ kind: 'begun' });
      expect(await look(act)).toEqual(end);
    }
  });

  test('[UPG11] another run of a hook is another act', async () => {
    const { deployment, hook, look, settle } = await opened();
    await deployment.begin({ kind: 'hook', hook, run: 'first' }, 1);
    await settle();
    expect(await look({ kind: 'hook', hook, run: 'second' })).toEqual({ state: 'absent' });
  });

  test('[UPG11] who was overtaken begins nothing, and who has overtaken goes on', async () => {
    const { deployment, images, look } = await opened();
    await deployment.takeOver(7);
    await deployment.takeOver(5);
    expect(await deployment.begin(images, 6)).toEqual({ kind: 'overtaken' });
    expect(await look(images)).toEqual({ state: 'absent' });
    expect(await deployment.begin(images, 7)).toEqual({ kind: 'begun' });
    expect(await look(images)).toMatchObject({ state: 'running' });
  });

  test('[UPG12] images with another checksum than theirs are never done', async () => {
    const { deployment, workload, wrong, look, settle } = await opened();
    const act: Act = { kind: 'images', workload, images: wrong };
    expect((await deployment.findImages(wrong)).map(({ kind }) => kind)).toContain('differs');
    await deployment.begin(act, 1);
    await settle();
    expect(await look(act)).toMatchObject({ state: 'failed', failure: { reason: expect.stringContaining(workload) } });
  });

  test('[UPG13] a rollout that has failed tells why and what to do, and succeeds when begun again after that', async () => {
    const { deployment, images, look, settle, breakNext, workload } = await opened();
    const putRight = await breakNext();
    await deployment.begin(images, 1);
    await settle();
    const failure = { reason: expect.stringContaining(workload), advice: expect.stringMatching(/\w+\.$/) };
    expect(await look(images)).toMatchObject({ state: 'failed', failure });
    await putRight();
    expect(await look(images)).toMatchObject({ state: 'failed' });
    await deployment.begin(images, 1);
    await settle();
    expect(await look(images)).toMatchObject({ state: 'done' });
  });

  test('[UPG13] a rollout that has failed can be taken back', async () => {
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

  test('what there is not is refused with words', async () => {
    const { deployment, next } = await opened();
    const begun = await deployment.begin({ kind: 'images', workload: 'no-such-workload', images: next }, 1);
    expect(begun).toMatchObject({ kind: 'refused', failure: { reason: expect.stringContaining('no-such-workload') } });
  });

  test('many acts are seen in one look, in their order', async () => {
    const { deployment, images, hook } = await opened();
    await deployment.begin(images, 1);
    const acts: Act[] = [{ kind: 'hook', hook, run: 'none' }, images, { kind: 'licence', content: 'none' }];
    expect((await deployment.observe(acts)).map(({ state }) => state)).toEqual(['absent', 'running', 'absent']);
  });
}
