import type { Catalog } from '../catalog/catalog.ts';
import type { ServiceDetails } from '../model/entity/service.ts';
import { localActor } from '../model/actor.ts';
import { StewardError } from '../foundation/errors.ts';

type DemoService = readonly [
  name: string,
  type: string,
  access: ServiceDetails['access'],
  capabilities: string,
  description: string,
];

const FOLDERS: Readonly<Record<string, { readonly description: string; readonly services: readonly DemoService[] }>> = {
  Finance: {
    description: 'Demo: what the accountants publish',
    services: [
      ['Invoices', 'Query', 'private', 'Read,Search', 'Demo: invoices of the last two years'],
      ['ExchangeRates', 'Query', 'public', 'Read', 'Demo: daily exchange rates'],
      ['MonthlyClose', 'Report', 'private', 'Run', 'Demo: figures at the end of a month'],
    ],
  },
  Logistics: {
    description: 'Demo: warehouses and what moves between them',
    services: [
      ['Depots', 'Map', 'public', 'Read,Search', 'Demo: where the depots are'],
      ['Routes', 'Map', 'private', 'Read,Plan', 'Demo: routes of today'],
      ['Parcels', 'Query', 'private', 'Read,Search', 'Demo: where a parcel is'],
      ['Zürich.Übersicht', 'Report', 'public', 'Run', 'Demo: overview of the Zürich depot <draft> & notes'],
    ],
  },
  Weather: {
    description: 'Demo: for everyone',
    services: [
      ['Forecast', 'Query', 'public', 'Read', 'Demo: forecast for five days'],
      ['Warnings', 'Query', 'public', 'Read', 'Demo: warnings in force'],
    ],
  },
  '': {
    description: '',
    services: [['Overview', 'Map', 'public', 'Read', 'Demo: a service in the root, in no folder']],
  },
};

/** The owner of what the demo publishes. */
export const DEMO_ACTOR = 'demo';

export const DEMO_SERVICES = Object.entries(FOLDERS).flatMap(([folder, { services }]) =>
  services.map(([name, type, access, capabilities, description]) => ({
    folder,
    name,
    type,
    access,
    capabilities,
    description,
    parentType: '',
    url: '',
    state: 'running' as const,
  })),
);

/** Fills an empty catalog. Does nothing if the catalog has entries, is read-only, or is being filled by another replica. */
export async function fillDemoCatalog(catalog: Catalog): Promise<void> {
  const { folders } = await catalog.listing();
  if (folders.length > 1 || folders.some(({ chunks }) => chunks.length > 0)) return;
  const by = localActor(DEMO_ACTOR);
  const wanted = Object.entries(FOLDERS)
    .filter(([folder]) => folder !== '')
    .map(([name, { description }]) => ({ name, description }));
  try {
    await catalog.importCatalog(by, { folders: wanted, services: DEMO_SERVICES }, false);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== 'readOnly') throw error;
  }
}
