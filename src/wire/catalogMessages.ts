import { urlOfService } from './addresses.ts';
import { escapeAttribute, escapeXml } from './envelope.ts';

export interface DescribedService {
  readonly folder: string;
  readonly name: string;
  readonly type: string;
  readonly url: string;
  readonly parentType: string;
  readonly capabilities: string;
  readonly description: string;
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

function description(service: DescribedService, origin: string): string {
  const fields = [
    element('Name', service.folder === '' ? service.name : `${service.folder}/${service.name}`),
    element('Type', service.type),
    element('Url', urlOfService(service, origin)),
    element('ParentType', service.parentType),
    element('Capabilities', service.capabilities),
    element('Description', service.description),
  ];
  return `<ServiceDescription>${fields.join('')}</ServiceDescription>`;
}

export function serviceDescriptionsResponse(
  services: readonly DescribedService[],
  origin: string,
  namespace: string,
): string {
  const list = services.map((service) => description(service, origin)).join('');
  return `<GetServiceDescriptionsResponse xmlns="${escapeAttribute(namespace)}"><ServiceDescriptions>${list}</ServiceDescriptions></GetServiceDescriptionsResponse>`;
}
