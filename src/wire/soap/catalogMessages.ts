import { urlOfService } from '../answers/serviceUrl.ts';
import type { CatalogOperation, SoapDialect } from './catalogSchema.ts';
import type { SoapVersion } from './envelope.ts';
import { CLOSE_ENVELOPE, openEnvelope } from './envelope.ts';
import { escapeAttribute, escapeXml } from './xml.ts';

export interface DescribedService {
  readonly folder: string;
  readonly name: string;
  readonly type: string;
  readonly url: string;
  readonly parentType: string;
  readonly capabilities: string;
  readonly description: string;
}

function nameOf({ folder, name }: DescribedService): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Writes all fields in the order of the schema, empty ones included. */
export function descriptionXml(service: DescribedService, origin: string): string {
  return `<ServiceDescription><Name>${escapeXml(nameOf(service))}</Name><Type>${escapeXml(service.type)}</Type><Url>${escapeXml(urlOfService(service, origin))}</Url><ParentType>${escapeXml(service.parentType)}</ParentType><Capabilities>${escapeXml(service.capabilities)}</Capabilities><Description>${escapeXml(service.description)}</Description></ServiceDescription>`;
}

/** Returns the description of a service in the REST catalog. */
export function describeService(service: DescribedService, origin: string) {
  return { name: nameOf(service), type: service.type, url: urlOfService(service, origin) };
}

export function descriptionJson(service: DescribedService, origin: string): string {
  return JSON.stringify(describeService(service, origin));
}

export function folderNamesXml(names: readonly string[]): string {
  return `<FolderNames>${names.map((name) => `<String>${escapeXml(name)}</String>`).join('')}</FolderNames>`;
}

export function fieldXml(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

/** Returns the XML before and after the content of an answer. The content is the same in all dialects and versions. */
export function responseFrame(
  operation: CatalogOperation,
  version: SoapVersion,
  dialect: SoapDialect,
  namespace: string,
): { readonly open: string; readonly close: string } {
  const tns = escapeAttribute(namespace);
  const [start, end] =
    dialect === 'clean'
      ? [`<${operation}Response xmlns="${tns}">`, `</${operation}Response>`]
      : [`<c:${operation}Response xmlns:c="${tns}">`, `</c:${operation}Response>`];
  return { open: openEnvelope(version) + start, close: end + CLOSE_ENVELOPE };
}
