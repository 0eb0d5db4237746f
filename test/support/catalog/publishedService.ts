import type { Service } from '../../../src/catalog/service.ts';

/** A running, public service with the given fields. */
export function publishedService(fields: Partial<Service> & Pick<Service, 'name'>): Service {
  return {
    folder: '',
    type: 'T',
    description: '',
    capabilities: '',
    parentType: '',
    url: '',
    access: 'public',
    state: 'running',
    owner: '',
    created: 0,
    modified: 0,
    revision: 1,
    ...fields,
  };
}
