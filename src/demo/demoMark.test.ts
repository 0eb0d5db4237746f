import { expect, onTestFinished, test } from 'vitest';
import { startInProcess } from '../../test/support/server/inProcessServer.ts';
import { fillDemoCatalog } from './demoCatalog.ts';
import { DEMO_QUESTIONS, checkDemoMark, markDemo } from './demoMark.ts';

async function opened() {
  const steward = await startInProcess();
  onTestFinished(() => steward.close());
  const { store, areas } = steward;
  const check = async (isDemo: boolean): Promise<void> => {
    const services = await Promise.all(DEMO_QUESTIONS.services.map(store.catalog.service));
    const facts = {
      documents: await store.documents.read(...DEMO_QUESTIONS.documents),
      services: services.filter((one) => one !== undefined),
      accounts: (await areas.access.accounts.any()) ? 1 : 0,
    };
    checkDemoMark(facts, isDemo, 'the store');
    if (isDemo) await markDemo(store.documents);
  };
  return { ...steward, check };
}

test('[ADR7] a new store may become one of the demo, and then stays one', async () => {
  const { check, tokenOf } = await opened();
  await check(false);
  await check(true);
  await tokenOf('administrator');
  await check(true);
  await expect(check(false)).rejects.toThrow('the store belongs to the demo');
});

test('[ADR7] a store that was used without the demo is refused with it', async () => {
  const { check, tokenOf } = await opened();
  await tokenOf('administrator');
  await check(false);
  await expect(check(true)).rejects.toThrow('the store was used without --demo');
});

test('[ADR7] a store that an earlier version filled for the demo is recognised by its services', async () => {
  const { check, areas, tokenOf } = await opened();
  await fillDemoCatalog(areas.catalog);
  await tokenOf('administrator');
  await expect(check(false)).rejects.toThrow('belongs to the demo');
  await check(true);
});
