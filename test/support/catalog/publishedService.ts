import type { Service } from '../../../src/catalog/service.ts';
import { newValues } from '../../../src/model/entity/field.ts';
import { SERVICE } from '../../../src/model/entity/service.ts';

/** A public service that says nothing about itself. */
export const PLAIN_DETAILS = newValues(SERVICE, { access: 'public' });

/** A running, public service with the given fields. */
export function publishedService(fields: Partial<Service> & Pick<Service, 'name'>): Service {
  return {
    folder: '',
    type: 'T',
    ...PLAIN_DETAILS,
    state: 'running',
    owner: '',
    created: 0,
    modified: 0,
    revision: 1,
    ...fields,
  };
}
