import type { ServiceKey } from '../../model/serviceKey.ts';

/** Returns the address of a service in the catalog: its own, or `{origin}/services/Folder/Name/Type`. */
export function urlOfService(service: ServiceKey & { readonly url: string }, origin: string): string {
  if (service.url !== '') return service.url;
  const parts = [service.folder, service.name, service.type].filter((part) => part !== '').map(encodeURIComponent);
  return `${origin}/services/${parts.join('/')}`;
}
