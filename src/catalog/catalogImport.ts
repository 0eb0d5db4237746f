import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import { StewardError } from '../foundation/errors.ts';
import type { CatalogContent, Folder, Service } from './catalogStore.ts';
import type { ServiceDetails } from './service.ts';
import { serviceDecision } from './service.ts';
import { labelOf } from '../model/serviceKey.ts';

export interface ImportedService extends ServiceDetails {
  readonly folder: string;
  readonly name: string;
  readonly type: string;
  readonly state: Service['state'];
}

export interface ImportedCatalog {
  readonly folders: readonly Pick<Folder, 'name' | 'description'>[];
  readonly services: readonly ImportedService[];
}

export interface ImportCounts {
  readonly foldersCreated: number;
  readonly servicesCreated: number;
  readonly servicesChanged: number;
  readonly servicesUnchanged: number;
}

export interface ImportPlan {
  readonly decision: Decision<CatalogContent>;
  readonly counts: ImportCounts;
}

function isUnchanged(before: Service, wanted: ImportedService): boolean {
  return (Object.keys(wanted) as (keyof ImportedService)[]).every((key) => before[key] === wanted[key]);
}

function duplicatesIn(labels: readonly string[]): readonly string[] {
  const [seen, again] = [new Set<string>(), new Set<string>()];
  for (const label of labels) (seen.has(label) ? again : seen).add(label);
  return [...again];
}

/** Everything that keeps the import from being done as a whole, named at once. */
function refuseContradictions(seen: CatalogContent, wanted: ImportedCatalog): void {
  const folders = new Set([...seen.folders, ...wanted.folders].map(({ name }) => name));
  const roots = new Set([...seen.services, ...wanted.services].filter(({ folder }) => folder === '').map(labelOf));
  const problems = [
    ...duplicatesIn(wanted.folders.map(({ name }) => name)).map((name) => `folders: ${name} is there twice`),
    ...duplicatesIn(wanted.services.map(labelOf)).map((label) => `services: ${label} is there twice`),
    ...wanted.services
      .filter(({ folder }) => folder !== '' && !folders.has(folder))
      .map((service) => `services: ${labelOf(service)} is in a folder that is neither here nor in the file`),
    ...[...roots]
      .filter((label) => folders.has(label))
      .map((label) => `services: ${label} would have the address of a folder`),
  ];
  if (problems.length > 0)
    throw new StewardError('invalid', 'The file contradicts itself or the catalog. Nothing was changed.', {
      details: problems,
    });
}

/** Folders and services that are missing are made, those that differ are changed, the others are left alone. */
export function planImport(seen: CatalogContent, wanted: ImportedCatalog, by: Actor, now: number): ImportPlan {
  refuseContradictions(seen, wanted);
  const known = new Map(seen.services.map((service) => [labelOf(service), service]));
  const there = new Set(seen.folders.map(({ name }) => name));
  const folders = wanted.folders.filter(({ name }) => !there.has(name)).map((folder) => ({ ...folder, created: now }));
  const decisions = wanted.services.flatMap((one) => {
    const before = known.get(labelOf(one));
    if (before === undefined) {
      const service: Service = { ...one, owner: by.name, created: now, modified: now, revision: 1 };
      return [{ isNew: true, service, ...serviceDecision('service.create', 'service.created', undefined, service) }];
    }
    if (isUnchanged(before, one)) return [];
    const service: Service = { ...before, ...one, modified: now, revision: before.revision + 1 };
    return [{ isNew: false, service, ...serviceDecision('service.edit', 'service.changed', before, service) }];
  });
  const created = decisions.filter(({ isNew }) => isNew).length;
  return {
    decision: {
      change: { folders, services: decisions.map(({ service }) => service) },
      announce: decisions.flatMap(({ announce }) => announce),
      audit: [
        ...folders.map((folder) => ({ action: 'folder.create', target: `folder ${folder.name}`, after: folder })),
        ...decisions.flatMap(({ audit }) => audit),
      ],
    },
    counts: {
      foldersCreated: folders.length,
      servicesCreated: created,
      servicesChanged: decisions.length - created,
      servicesUnchanged: wanted.services.length - decisions.length,
    },
  };
}
