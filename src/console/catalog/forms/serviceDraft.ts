import type { Service } from '../../api/answers.ts';
import { soapAddress } from '../../api/soap.ts';

/** What a publisher may say about a service. */
export type ServiceDraft = Pick<Service, 'description' | 'capabilities' | 'parentType' | 'url' | 'access'>;

export const EMPTY_DRAFT: ServiceDraft = {
  description: '',
  capabilities: '',
  parentType: '',
  url: '',
  access: 'private',
};

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
export function draftOf(service: Service): ServiceDraft {
  const { description, capabilities, parentType, url, access } = service;
  return { description, capabilities, parentType, url: hasDefaultUrl(service) ? '' : url, access };
}
