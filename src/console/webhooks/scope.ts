// Webhooks belong to a service or to the system, which have the same operations.
import { labelOf } from '../links.ts';
import { api } from '../api/operations.ts';

export const SYSTEM = 'system';

interface Scoped {
  readonly folderName: string;
  readonly serviceName: string;
  readonly serviceType: string;
}

/** The label of the service, or `system`. */
export function scopeOf({ folderName, serviceName, serviceType }: Scoped): string {
  return serviceName === '' ? SYSTEM : labelOf(folderName, serviceName, serviceType);
}

/** The operations on the webhooks of a scope. Those of the system need no name of a service. */
export function webhooksOf(scope: string): typeof api.serviceWebhooks {
  return scope === SYSTEM ? api.systemWebhooks : api.serviceWebhooks;
}
