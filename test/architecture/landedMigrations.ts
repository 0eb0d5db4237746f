// A migration that has landed has run on stores of users. If it is edited, their stores are no longer what its name says, and no test
// with a new store notices it.
import { createHash } from 'node:crypto';
import { postgresDialect, sqliteDialect } from '../../src/store/engine/dialect.ts';
import type { Migration } from '../../src/store/engine/migrations.ts';

/** The hash of each migration when it landed, in their order. Add a new one to the end; never change one. */
export const LANDED: Readonly<Record<string, string>> = {
  foundation: '8e5e6a14af24cee6',
  access: '93ec5a5c4766a18d',
  catalog: 'b0ce8a251b64bf17',
  webhooks: '35fe72db2f661dd6',
  deliveries: 'c0d087f9823608c8',
  queue: '6b56f0ccac12a850',
  jobs: '9028db8aaf3797ec',
  uploads: '44bcf9709637c9ce',
  documents: 'e0391c0fee35bfd7',
  upgrades: 'f4e236fd7e033d5b',
  journal: 'fcc8be1c079330be',
  plans: '80ce6db72cbe5c16',
  loginAccounts: '8f20f0089e2416ad',
  signedManifests: 'bb3d86cbfa59b9b0',
  deliverySearch: '459c21122e17a77e',
  auditSearch: '5ba964d861dc26c8',
  auditRetention: '1d4dc33c6ab88aaa',
  installation: 'e6e2a2a8da8a211a',
  objects: 'e1bf76fc07314192',
};

/** The hash of all that a migration does, on both engines. */
export function hashOf({ level, statements }: Migration): string {
  const done = [level, statements(sqliteDialect), statements(postgresDialect)];
  return createHash('sha256').update(JSON.stringify(done)).digest('hex').slice(0, 16);
}

/** Names the migrations that differ from what has landed. */
export function editedMigrations(
  list: readonly Migration[],
  landed: Readonly<Record<string, string>>,
): readonly string[] {
  const names = list.map(({ name }) => name);
  const order = Object.keys(landed);
  const removed = order.filter((name) => !names.includes(name)).map((name) => `${name}: was removed after it landed`);
  const changed = list.flatMap((migration) => {
    const { name } = migration;
    const hash = hashOf(migration);
    if (landed[name] === undefined) return [`${name}: is not in LANDED; add ${name}: '${hash}' to its end`];
    return landed[name] === hash
      ? []
      : [`${name}: was edited after it landed (${hash}); add another migration instead`];
  });
  const isMoved = removed.length === 0 && changed.length === 0 && names.join() !== order.join();
  return [...removed, ...changed, ...(isMoved ? ['the order of the migrations was changed after they landed'] : [])];
}
