import { StewardError } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import type { ServiceDetails } from '../model/entity/service.ts';
import type { ServiceKey } from '../model/serviceKey.ts';
import { labelOf } from '../model/serviceKey.ts';
import type { CatalogContent } from './catalogStore.ts';
import type { Folder, Service } from './service.ts';
import { changedService, newService, serviceDecision } from './service.ts';

export type ImportedService = ServiceKey & ServiceDetails & Pick<Service, 'state'>;

export interface ImportedCatalog {
  readonly folders: readonly Omit<Folder, 'created'>[];
  readonly services: readonly ImportedService[];
  /** Names that no new folder may have. */
  readonly reserved?: readonly string[];
}

export interface ImportCounts {
  readonly foldersCreated: number;
  readonly servicesCreated: number;
  readonly servicesChanged: number;
  readonly servicesUnchanged: number;
}

function isUnchanged(before: Service, imported: ImportedService): boolean {
  const present: Readonly<Record<string, unknown>> = { ...before };
  return Object.entries(imported).every(([field, value]) => present[field] === value);
}

function duplicatesIn(labels: readonly string[]): readonly string[] {
  const [seen, again] = [new Set<string>(), new Set<string>()];
  for (const label of labels) (seen.has(label) ? again : seen).add(label);
  return [...again];
}

/** Refuses an import that cannot be done as a whole, and names all reasons at once. */
function refuseContradictions(present: CatalogContent, imported: ImportedCatalog): void {
  const folders = new Set([...present.folders, ...imported.folders].map(({ name }) => name));
  const roots = new Set([...present.services, ...imported.services].filter(({ folder }) => folder === '').map(labelOf));
  const existing = new Set(present.folders.map(({ name }) => name));
  const problems = [
    ...imported.folders
      .filter(({ name }) => imported.reserved?.includes(name) === true && !existing.has(name))
      .map(({ name }) => `folders: ${name} is reserved for an operation; choose another name`),
    ...duplicatesIn(imported.folders.map(({ name }) => name)).map((name) => `folders: ${name} is listed twice`),
    ...duplicatesIn(imported.services.map(labelOf)).map((label) => `services: ${label} is listed twice`),
    ...imported.services
      .filter(({ folder }) => folder !== '' && !folders.has(folder))
      .map((service) => `services: ${labelOf(service)} is in a folder that is neither in the catalog nor in the file`),
    ...[...roots]
      .filter((label) => folders.has(label))
      .map((label) => `services: ${label} would have the same address as a folder`),
  ];
  if (problems.length > 0)
    throw new StewardError('invalid', 'The file is inconsistent, or does not fit the catalog. Nothing was changed.', {
      details: problems,
    });
}

/** Decides to create the folders and services that are missing and to change the services that differ. */
export function planImport(
  present: CatalogContent,
  imported: ImportedCatalog,
  by: Actor,
  now: number,
): { readonly decision: Decision<CatalogContent>; readonly counts: ImportCounts } {
  refuseContradictions(present, imported);
  const known = new Map(present.services.map((service) => [labelOf(service), service]));
  const existing = new Set(present.folders.map(({ name }) => name));
  const folders = imported.folders
    .filter(({ name }) => !existing.has(name))
    .map((folder) => ({ ...folder, created: now }));
  const decisions = imported.services.flatMap((one) => {
    const before = known.get(labelOf(one));
    if (before === undefined) {
      const service = newService(one, by, now);
      return [{ isNew: true, service, ...serviceDecision('service.create', 'service.created', undefined, service) }];
    }
    if (isUnchanged(before, one)) return [];
    const service = changedService(before, one, now);
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
      servicesUnchanged: imported.services.length - decisions.length,
    },
  };
}
