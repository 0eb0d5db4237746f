// A second manager that writes its value of a field again and again, as an operator does.
import { repeat } from '../../run/until.ts';
import type { Scenario } from '../scenario.ts';

const EVERY_MS = 1000;

/** Applies the field `data.MODE` of the ConfigMap `settings` now and every second. Returns the function that stops it. */
export async function startFight({ applyAs }: Scenario, manager: string, value: string): Promise<() => Promise<void>> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { MODE: value } };
  await applyAs(manager, object);
  return repeat(EVERY_MS, () => applyAs(manager, object));
}
