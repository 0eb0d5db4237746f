// Finds services among thousands as one types: the text of each is prepared once, and a search only compares.
import type { CatalogFile } from '../api/answers.ts';
import { labelOf } from '../links.ts';
import type { ListedFolder, ListedService } from './answers.ts';

/** In the address, the services outside all folders. A folder cannot have this name. */
export const ROOT = '/';

export interface IndexedService extends ListedService {
  readonly label: string;
  /** All that is searched, in lower case. */
  readonly searchText: string;
}

export interface CatalogIndex {
  readonly services: readonly IndexedService[];
  readonly folders: readonly ListedFolder[];
  readonly types: readonly string[];
}

export function indexOf({ folders, services }: CatalogFile): CatalogIndex {
  return {
    folders: folders.toSorted((one, other) => one.folderName.localeCompare(other.folderName)),
    types: [...new Set(services.map(({ type }) => type))].toSorted(),
    services: services.map((service) => {
      const label = labelOf(service.folderName, service.serviceName, service.type);
      const { description, capabilities, state, access } = service;
      const searchText = [label, description, capabilities, state, access].join('\n').toLowerCase();
      return { ...service, label, searchText };
    }),
  };
}

/** The services in which every word occurs. */
export function matching(services: readonly IndexedService[], search: string): readonly IndexedService[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return services;
  return services.filter(({ searchText }) => words.every((word) => searchText.includes(word)));
}

/** The services of a folder: an empty name stands for all, `/` for the root. */
export function inFolder(services: readonly IndexedService[], folder: string): readonly IndexedService[] {
  if (folder === '') return services;
  const name = folder === ROOT ? '' : folder;
  return services.filter(({ folderName }) => folderName === name);
}

/** How many services each folder has. The root is counted under `/`. */
export function countByFolder(services: readonly IndexedService[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { folderName } of services) {
    const key = folderName === '' ? ROOT : folderName;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** The address of the catalog, for one folder and a search. */
export function catalogAddress(folder: string, search: string): string {
  const fields = new URLSearchParams();
  if (folder !== '') fields.set('folder', folder);
  if (search !== '') fields.set('q', search);
  return fields.size === 0 ? '/catalog' : `/catalog?${fields.toString()}`;
}
