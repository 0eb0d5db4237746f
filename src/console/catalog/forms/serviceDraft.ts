import { valuesOf } from '../../../model/entity/field.ts';
import type { ServiceDetails } from '../../../model/entity/service.ts';
import { SERVICE } from '../../../model/entity/service.ts';
import type { Service } from '../../api/answers.ts';
import { soapAddress } from '../../api/soap.ts';

/** The address that a service has unless it is given another one. */
export function defaultUrl({ folderName, serviceName, type }: Service): string {
  const parts = [folderName, serviceName, type].filter((part) => part !== '').map(encodeURIComponent);
  return `${soapAddress()}/${parts.join('/')}`;
}

/** The path is the same behind every proxy, the origin may not be. */
function hasDefaultUrl(service: Service): boolean {
  return URL.canParse(service.url) && new URL(service.url).pathname === new URL(defaultUrl(service)).pathname;
}

/** The draft of a published service. Its address is empty if it is the default one. */
export function draftOf(service: Service): ServiceDetails {
  return valuesOf(SERVICE, { ...service, url: hasDefaultUrl(service) ? '' : service.url });
}
