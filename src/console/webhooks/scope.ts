// Webhooks belong to a service or to the system. Their addresses differ only in their beginning.
import { labelOf } from '../app/links.ts';

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
  if (scope === SYSTEM) return '/system/webhooks';
  return `/services/${scope.split('/').map(encodeURIComponent).join('/')}/webhooks`;
}

/** A part of the page's address. The router leaves encoded slashes as they are. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
