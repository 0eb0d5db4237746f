import type { Steward } from '../harness/processes/steward.ts';

const BATCH = 2000;
const TYPES = ['Report', 'Map', 'Query', 'Geocode'];

export interface NewService extends Readonly<Record<string, string>> {
  readonly folderName: string;
  readonly serviceName: string;
  readonly type: string;
  readonly parentType: string;
  readonly capabilities: string;
  readonly description: string;
  readonly access: 'public' | 'private';
}

export function newService(folderName: string, n: number): NewService {
  return {
    folderName,
    serviceName: `Parcels_${String(n).padStart(6, '0')}`,
    type: TYPES[n % TYPES.length] ?? '',
    parentType: n % 5 === 0 ? 'Map' : '',
    capabilities: 'Query,Read,Export',
    description: `Answers questions about parcel block ${n} of the county and its owners`,
    access: n % 2 === 0 ? 'public' : 'private',
  };
}

/** Imports in batches, because a body may have 1 MiB at most. */
export async function importServices(
  steward: Steward,
  services: readonly Readonly<Record<'folderName' | 'serviceName' | 'type', string>>[],
): Promise<void> {
  const names = new Set(services.map(({ folderName }) => folderName).filter((name) => name !== ''));
  const folders = [...names].map((folderName) => ({ folderName, description: '' }));
  for (let from = 0; from < services.length; from += BATCH) {
    const importFile = { folders, services: services.slice(from, from + BATCH) };
    await steward.post('/services/import', {}, { importFile });
  }
}
