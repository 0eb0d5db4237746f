// What clients of the catalog ask: SOAP in both dialects and both versions, faults, WSDL, and the catalog as JSON. Then the other public
// addresses.
import type { Row } from '../player.ts';

const NAMESPACE = 'http://www.svc.example/schemas/Product/10.0';
const ENVELOPES = {
  'text/xml': 'http://schemas.xmlsoap.org/soap/envelope/',
  'application/soap+xml': 'http://www.w3.org/2003/05/soap-envelope',
};
const DIALECTS = ['/services', '/compat/services'];
const PUBLIC = { as: 'anonymous' } as const;

function envelope(namespace: string, body: string): string {
  return `<e:Envelope xmlns:e="${namespace}"><e:Body>${body}</e:Body></e:Envelope>`;
}

const call = (name: string, content = '', namespace = NAMESPACE): string =>
  `<${name} xmlns="${namespace}">${content}</${name}>`;
const inFolder = (folder: string): string => `<FolderName>${folder}</FolderName>`;

const BODIES = [
  call('GetMessageVersion'),
  call('GetMessageFormats'),
  call('GetTokenServiceURL'),
  call('RequiresTokens'),
  call('GetFolders'),
  call('GetServiceDescriptions'),
  call('GetServiceDescriptionsEx'),
  call('GetServiceDescriptionsEx', inFolder('Logistics')),
  call('GetServiceDescriptionsEx', inFolder('Nowhere')),
  call('GetServiceDescriptionsEx', inFolder('a').repeat(2)),
  call('GetNothing'),
  call('GetFolders', '', 'urn:other'),
  '',
];

const SOAP: readonly Row[] = DIALECTS.flatMap((path) =>
  Object.entries(ENVELOPES).flatMap(([type, namespace]) =>
    BODIES.map((body): Row => [
      `POST ${path}`,
      {},
      { ...PUBLIC, raw: envelope(namespace, body), headers: { 'content-type': type } },
    ]),
  ),
);

const SOAP_REFUSALS: readonly Row[] = DIALECTS.flatMap((path): readonly Row[] => [
  [`POST ${path}`, {}, { as: 'viewer', raw: envelope(ENVELOPES['text/xml'], call('GetServiceDescriptions')) }],
  [
    `POST ${path}?token=stw_none`,
    {},
    { ...PUBLIC, raw: envelope(ENVELOPES['text/xml'], call('GetServiceDescriptions')) },
  ],
  [`POST ${path}`, {}, { ...PUBLIC, raw: '<not xml' }],
  [`POST ${path}`, {}, { ...PUBLIC, raw: '{}', headers: { 'content-type': 'application/json' } }],
  [`POST ${path}`, {}, { ...PUBLIC, raw: envelope('urn:other', call('GetFolders')) }],
  [`GET ${path}`, { wsdl: '' }, PUBLIC],
  [`GET ${path}`, { xsd: '1' }, PUBLIC],
  [`GET ${path}`, {}, PUBLIC],
]);

const JSON_CATALOG: readonly Row[] = ['', '/compat'].flatMap((prefix): readonly Row[] => [
  [`GET ${prefix}/rest/services`, { f: 'json' }, PUBLIC],
  [`GET ${prefix}/rest/services`, { f: 'pjson' }, { as: 'viewer' }],
  [`POST ${prefix}/rest/services/Logistics`, { f: 'json' }, { as: 'viewer' }],
  [`GET ${prefix}/rest/services/Logistics`, { f: 'html' }, PUBLIC],
  [`GET ${prefix}/rest/services/Nowhere`, { f: 'json' }, PUBLIC],
  [`GET ${prefix}/rest/services`, { token: 'stw_none' }, PUBLIC],
  [`GET ${prefix}/rest/info`, { f: 'json' }, PUBLIC],
  [`GET ${prefix}/rest/info`, { f: 'html' }, PUBLIC],
]);

const OTHERS: readonly Row[] = [
  ['GET /compat/admin/sharing/rest/info', {}, PUBLIC],
  ['GET /openapi.json', {}, PUBLIC],
  ['GET /healthz', {}, PUBLIC],
  ['GET /readyz', {}, PUBLIC],
  ['GET /', {}, PUBLIC],
  ['GET /nowhere', {}, PUBLIC],
  ['GET /admin/nowhere', {}, PUBLIC],
  ['GET /compat/admin/nowhere', {}, PUBLIC],
  ['DELETE /admin/services', {}, PUBLIC],
  ['POST /rest/info', {}, PUBLIC],
];

export const CATALOG_CLIENT_ROWS: readonly Row[] = [...SOAP, ...SOAP_REFUSALS, ...JSON_CATALOG, ...OTHERS];
