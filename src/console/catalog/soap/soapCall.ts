import type { CatalogOperation } from '../../../wire/soap/catalogSchema.ts';

export interface SoapCall {
  readonly operation: CatalogOperation;
  /** For GetServiceDescriptionsEx; empty for the root. */
  readonly folderName: string;
  readonly namespace: string;
  readonly address: string;
  /** Whether it is sent with a token. */
  readonly hasToken: boolean;
}

/** What each operation answers. */
export const SOAP_OPERATIONS: Readonly<Record<CatalogOperation, string>> = {
  GetServiceDescriptionsEx: 'the services of one folder',
  GetServiceDescriptions: 'all services',
  GetFolders: 'the names of the folders',
  RequiresTokens: 'whether a token is required',
  GetTokenServiceURL: 'where to get a token',
  GetMessageVersion: 'the version of the messages',
  GetMessageFormats: 'the formats of the messages',
};

export function hasFolder({ operation }: Pick<SoapCall, 'operation'>): boolean {
  return operation === 'GetServiceDescriptionsEx';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

export function envelopeOf(call: SoapCall): string {
  const { operation, folderName, namespace } = call;
  const open = `    <${operation} xmlns="${escaped(namespace)}"`;
  const content = hasFolder(call)
    ? [`${open}>`, `      <FolderName>${escaped(folderName)}</FolderName>`, `    </${operation}>`]
    : [`${open}/>`];
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">',
    '  <soap:Body>',
    ...content,
    '  </soap:Body>',
    '</soap:Envelope>',
  ].join('\n');
}
