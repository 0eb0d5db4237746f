// Webhooks belong to a service or to the system. Their addresses differ only in their beginning.
import { servicePath } from '../api/paths.ts';
import { labelOf } from '../links.ts';

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

/** The address of the webhooks of a scope, below the root of the API. */
export function webhooksPath(scope: string): string {
  return `${scope === SYSTEM ? '/system' : servicePath(scope)}/webhooks`;
}
