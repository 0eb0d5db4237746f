import type { Catalog } from '../catalog/catalog.ts';
import type { ServiceDetails } from '../catalog/service.ts';
import { localActor } from '../foundation/actor.ts';

type DemoService = readonly [
  name: string,
  type: string,
  access: ServiceDetails['access'],
  capabilities: string,
  description: string,
];

const FOLDERS: Readonly<Record<string, { readonly about: string; readonly services: readonly DemoService[] }>> = {
  Finance: {
    about: 'Demo: what the accountants publish',
    services: [
      ['Invoices', 'Query', 'private', 'Read,Search', 'Demo: invoices of the last two years'],
      ['ExchangeRates', 'Query', 'public', 'Read', 'Demo: daily exchange rates'],
      ['MonthlyClose', 'Report', 'private', 'Run', 'Demo: figures at the end of a month'],
    ],
  },
  Logistics: {
    about: 'Demo: warehouses and what moves between them',
    services: [
      ['Depots', 'Map', 'public', 'Read,Search', 'Demo: where the depots are'],
      ['Routes', 'Map', 'private', 'Read,Plan', 'Demo: routes of today'],
      ['Parcels', 'Query', 'private', 'Read,Search', 'Demo: where a parcel is'],
      ['Zürich.Übersicht', 'Report', 'public', 'Run', 'Demo: overview of the Zürich depot <draft> & notes'],
    ],
  },
  Weather: {
    about: 'Demo: for everyone',
    services: [
      ['Forecast', 'Query', 'public', 'Read', 'Demo: forecast for five days'],
      ['Warnings', 'Query', 'public', 'Read', 'Demo: warnings in force'],
    ],
  },
  '': { about: '', services: [['Overview', 'Map', 'public', 'Read', 'Demo: a service in the root, in no folder']] },
};

/** Fills an empty catalog; one that holds anything is left alone. Answers how many services it made. */
export async function fillDemoCatalog(catalog: Catalog): Promise<number> {
  const { folders } = await catalog.listing();
  if (folders.length > 1 || folders.some(({ chunks }) => chunks.length > 0)) return 0;
  const by = localActor('demo');
  let made = 0;
  for (const [folder, { about, services: demo }] of Object.entries(FOLDERS)) {
    if (folder !== '') await catalog.createFolder(by, { name: folder, description: about });
    for (const [name, type, access, capabilities, description] of demo) {
      await catalog.createService(
        by,
        { folder, name, type },
        { description, capabilities, parentType: '', url: '', access },
      );
      made += 1;
    }
  }
  return made;
}
