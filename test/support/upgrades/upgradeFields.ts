import { rowsOf } from '../store/stores.ts';
import type { UpgradeServer } from './upgradeServer.ts';

/** The settings of an upgrade; all others keep their defaults. */
export function settings(values: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ userInputs: Object.entries(values).map(([id, value]) => ({ id, value })) });
}

/** Uploads a licence of the demo and answers the settings that name it. */
export async function licensed(
  steward: UpgradeServer,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly upgradeSettings: string }> {
  const licence = JSON.stringify(await steward.must('/admin/demo/licence'));
  return { upgradeSettings: settings({ licenseUpload: await steward.upload(licence), ...more }) };
}

/** All rows of the store, to see whether anything has changed. A plan that was shown is kept, and counts as no change. */
export async function everything({ place }: UpgradeServer): Promise<Readonly<Record<string, unknown>>> {
  const names = (await rowsOf(place, 'sqlite_master'))
    .filter(({ type, name }) => type === 'table' && name !== 'shown_plan')
    .map(({ name }) => String(name));
  const tables = await Promise.all(names.map(async (name) => [name, await rowsOf(place, name)] as const));
  return Object.fromEntries(tables);
}
