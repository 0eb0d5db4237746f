import type { Client } from './steward.ts';
import { post } from './steward.ts';

const BATCH = 2000;
const TYPES = ['Report', 'Map', 'Query', 'Geocode'];

export interface Published {
  readonly folderName: string;
  readonly serviceName: string;
  readonly type: string;
  readonly parentType: string;
  readonly capabilities: string;
  readonly description: string;
  readonly access: 'public' | 'private';
}

export function serviceOf(folderName: string, n: number): Published {
  const type = TYPES[n % TYPES.length] ?? '';
  return {
    folderName,
    serviceName: `Parcels_${String(n).padStart(6, '0')}`,
    type,
    parentType: n % 5 === 0 ? 'Map' : '',
    capabilities: 'Query,Read,Export',
    description: `Answers questions about parcel block ${n} of the county and its owners`,
    access: n % 2 === 0 ? 'public' : 'private',
  };
}

/** Batches, because a body has at most 1 MiB. */
export async function importServices({ url, token }: Client, services: readonly Published[]): Promise<void> {
  const names = new Set(services.map(({ folderName }) => folderName).filter((name) => name !== ''));
  const folders = [...names].map((folderName) => ({ folderName, description: '' }));
  for (let from = 0; from < services.length; from += BATCH) {
    const form = new FormData();
    form.set('token', token);
    form.set('f', 'json');
    form.set('importFile', JSON.stringify({ folders, services: services.slice(from, from + BATCH) }));
    await post(`${url}/admin/services/import`, form);
  }
}
