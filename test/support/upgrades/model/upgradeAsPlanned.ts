import { expect } from 'vitest';
import { isActive } from '../../../../src/model/jobState.ts';
import { changedObjects } from './objectOracle.ts';
import type { HandChange, PlayedObjects } from './objectModel.ts';
import { playObjects } from './objectModel.ts';
import { ENCODED_SECRETS, SECRET_VALUES } from '../objects/objectVersions.ts';
import type { UpgradeServer } from '../upgradeServer.ts';
import { UPGRADES } from '../upgradeServer.ts';

/** The values of Secrets that a text has. */
function revealed(what: string, text: string): readonly string[] {
  return [...SECRET_VALUES, ...ENCODED_SECRETS].filter((one) => text.includes(one)).map((one) => `${what} has ${one}`);
}

interface ShownPlan {
  readonly planHash: string;
  readonly canStart: boolean;
  readonly objects?: readonly { readonly object: string; readonly action: string }[];
}

/** A field that no bundle has. It counts for an object that is removed as a whole. */
const FREE_FIELD = 'data.OTHER';

/** Whether the plan promises something about what was changed by hand. */
function isAbout({ objects = [] }: ShownPlan, { at: [name, field] }: HandChange): boolean {
  const action = objects.find(({ object }) => object === name)?.action ?? 'none';
  return action === 'remove' || (['change', 'unchanged'].includes(action) && field !== FREE_FIELD);
}

/** Plans, and upgrades with the hash of the plan. `hand` changes an object in between. */
export async function upgradeAsPlanned(
  steward: UpgradeServer,
  parts: Parameters<UpgradeServer['postParts']>[1],
  hand: HandChange | undefined,
  played: PlayedObjects,
): Promise<number> {
  const planned = await steward.postParts(`${UPGRADES}/plan`, parts);
  expect(revealed('a plan', planned.text)).toEqual([]);
  if (planned.status !== 200) return planned.status;
  const plan = JSON.parse(planned.text) as ShownPlan;
  const { latest: running } = await steward.areas.upgrades.facts();
  const isBusy = running !== undefined && isActive(running.state);
  const before = await steward.simulated.liveObjects();
  if (hand !== undefined) await playObjects(steward, hand, played);
  const isChanged = changedObjects(before, await steward.simulated.liveObjects()).length > 0;
  const hash = { name: 'planHash', content: plan.planHash };
  const { status, text } = await steward.postParts(`${UPGRADES}/upgrade`, [...parts, hash]);
  expect(revealed('an upgrade', text)).toEqual([]);
  if (!plan.canStart || (hand !== undefined && isChanged && isAbout(plan, hand))) {
    expect(status, `${JSON.stringify(hand)} after ${planned.text}`).not.toBe(200);
    if (hand !== undefined && isChanged && isAbout(plan, hand)) expect(text).toContain(hand.at[0]);
  } else if (!isChanged && !isBusy) {
    expect(status).toBe(200);
  }
  return status;
}
