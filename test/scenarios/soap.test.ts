import { gzipSync, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localActor } from '../../src/model/actor.ts';
import { PLAIN_DETAILS } from '../support/catalog/publishedService.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { cpuTimeOf } from '../support/run/cpuTime.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const NS = 'http://www.svc.example/schemas/Product/10.0';
const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const SOAP_12 = 'http://www.w3.org/2003/05/soap-envelope';
const SECURITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const ADDRESSING = 'http://www.w3.org/2005/08/addressing';

let steward: InProcessServer;
let token: string;

beforeAll(async () => {
  steward = await startInProcess({ publicUrl: 'https://c.example' });
  token = await steward.tokenOf('viewer');
  const { catalog } = steward.areas;
  const by = localActor('test');
  for (const name of ['Öffentlich', 'Geheim', 'Leer']) await catalog.createFolder(by, { name, description: '' });
  await catalog.createService(
    by,
    { folder: '', name: 'Root', type: 'Map' },
    { ...PLAIN_DETAILS, access: 'public', description: '<&>"😀' },
  );
  await catalog.createService(
    by,
    { folder: 'Öffentlich', name: 'B', type: 'Map' },
    { ...PLAIN_DETAILS, access: 'public' },
  );
  await catalog.createService(
    by,
    { folder: 'Öffentlich', name: 'A', type: 'Map' },
    { ...PLAIN_DETAILS, access: 'private' },
  );
  await catalog.createService(
    by,
    { folder: 'Geheim', name: 'X', type: 'Map' },
    { ...PLAIN_DETAILS, access: 'private' },
  );
  await catalog.createService(by, { folder: '', name: 'Stopped', type: 'Map' }, { ...PLAIN_DETAILS, access: 'public' });
  await catalog.stopService(by, { folder: '', name: 'Stopped', type: 'Map' });
});
afterAll(() => steward.close());

interface Options {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function post(payload: string | Buffer, { url = '/services', headers = {} }: Options = {}) {
  const response = await steward.app.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'text/xml; charset=utf-8', ...headers },
  });
  return {
    status: response.statusCode,
    text: response.body,
    type: response.headers['content-type'],
    headers: response.headers,
    raw: response.rawPayload,
  };
}

function envelope(body: string, header = '', namespace = SOAP_11): string {
  return `<e:Envelope xmlns:e="${namespace}">${header}<e:Body>${body}</e:Body></e:Envelope>`;
}

const ask = (operation: string, content = ''): string =>
  envelope(`<${operation} xmlns="${NS}">${content}</${operation}>`);
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/<Name>(.*?)<\/Name>/g)].map(([, name = '']) => name);
const faultOf = (text: string): string => /<faultcode>soap:(\w+)<\/faultcode>/.exec(text)?.[1] ?? '';

describe('[CAT6] [CAT8] [IFC7] [IFC8] the SOAP operations', () => {
  test.each([
    ['GetMessageVersion', '<MessageVersion>svcProductVersion10</MessageVersion>'],
    ['GetMessageFormats', '<MessageFormats>svcServiceCatalogMessageFormatSoap</MessageFormats>'],
    ['GetTokenServiceURL', '<TokenServiceURL>https://c.example/tokens/generateToken</TokenServiceURL>'],
    ['RequiresTokens', '<Result>false</Result>'],
    ['GetFolders', '<FolderNames><String>Leer</String><String>Öffentlich</String></FolderNames>'],
  ])('the operation %s answers in UTF-8, with a declaration, in the namespace', async (operation, content) => {
    const { status, type, text } = await post(ask(operation));
    expect({ status, type }).toEqual({ status: 200, type: 'text/xml; charset=utf-8' });
    expect(text).toBe(
      `<?xml version="1.0" encoding="utf-8"?>\n<soap:Envelope xmlns:soap="${SOAP_11}"><soap:Body><${operation}Response xmlns="${NS}">${content}</${operation}Response></soap:Body></soap:Envelope>`,
    );
  });

  test('[CAT4] [CAT5] [IFC2] [IFC3] a description has all its fields in order, escaped, with raw characters', async () => {
    const { text } = await post(ask('GetServiceDescriptionsEx'));
    expect(text).toContain(
      '<ServiceDescriptions><ServiceDescription><Name>Root</Name><Type>Map</Type><Url>https://c.example/services/Root/Map</Url><ParentType></ParentType><Capabilities></Capabilities><Description>&lt;&amp;&gt;"😀</Description></ServiceDescription></ServiceDescriptions>',
    );
  });
});

describe('[CAT3] the visibility of services', () => {
  test('a caller without a token sees the public running services, and with a token all running ones, by folder and name', async () => {
    expect(namesIn((await post(ask('GetServiceDescriptions'))).text)).toEqual(['Root', 'Öffentlich/B']);
    expect(namesIn((await post(ask('GetServiceDescriptions'), { url: `/services?token=${token}` })).text)).toEqual([
      'Root',
      'Geheim/X',
      'Öffentlich/A',
      'Öffentlich/B',
    ]);
  });

  test('a folder is found by its name, and a missing name, an empty one and / mean the root', async () => {
    const inFolder = (name: string) => post(ask('GetServiceDescriptionsEx', `<FolderName>${name}</FolderName>`));
    expect(namesIn((await inFolder('Öffentlich')).text)).toEqual(['Öffentlich/B']);
    for (const root of ['', '/']) expect(namesIn((await inFolder(root)).text)).toEqual(['Root']);
    expect(namesIn((await post(ask('GetServiceDescriptionsEx'))).text)).toEqual(['Root']);
  });

  test('[DEC26] an empty folder is an empty list, and a hidden folder looks like a missing one', async () => {
    const inFolder = (name: string, url = '/services') =>
      post(ask('GetServiceDescriptionsEx', `<FolderName>${name}</FolderName>`), { url });
    expect((await inFolder('Leer')).text).toContain('<ServiceDescriptions></ServiceDescriptions>');
    const [hidden, missing] = [await inFolder('Geheim'), await inFolder('Nirgends')];
    expect(hidden.status).toBe(500);
    expect(hidden.text.replace('Geheim', 'Nirgends')).toBe(missing.text);
    expect(namesIn((await inFolder('Geheim', `/services?token=${token}`)).text)).toEqual(['Geheim/X']);
  });
});

describe('[CAT2] a request with a variation', () => {
  const VERSION = '<MessageVersion>svcProductVersion10</MessageVersion>';
  const simple = ask('GetMessageVersion');

  test.each([
    [
      'another prefix, white space, comments',
      `<?xml version='1.0' encoding='utf-8' standalone="yes"?>\n<S:Envelope xmlns:S="${SOAP_11}" xmlns:q="${NS}">\n <!-- c --> <S:Header/>\n <S:Body> <!-- c --> <q:GetMessageVersion> \n </q:GetMessageVersion></S:Body>\n</S:Envelope>`,
    ],
    ['no namespace', envelope('<GetMessageVersion/>')],
    [
      'xsi:nil, xsi:type and encodingStyle',
      `<e:Envelope xmlns:e="${SOAP_11}" e:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><e:Body><GetMessageVersion xmlns="${NS}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/></e:Body></e:Envelope>`,
    ],
    ['a second child of the Body', envelope(`<GetMessageVersion xmlns="${NS}"/><other/>`)],
    ['a byte order mark', `\ufeff${simple}`],
    ['CDATA and references', simple.replace('></GetMessageVersion>', '><![CDATA[ ]]>&#32;</GetMessageVersion>')],
  ])('%s', async (_what, xml) => {
    expect((await post(xml)).text).toContain(VERSION);
  });

  test.each([
    ['SOAPAction of any kind', { soapaction: '"urn:whatever"' }],
    ['a quoted charset', { 'content-type': 'text/xml; charset="UTF-8"' }],
    ['no charset', { 'content-type': 'text/xml' }],
    ['application/xml', { 'content-type': 'application/xml' }],
    ['an empty action parameter', { 'content-type': 'text/xml;charset=utf-8;action=' }],
  ])('%s', async (_what, headers) => {
    expect((await post(simple, { headers })).text).toContain(VERSION);
  });

  test('FolderName is accepted in no namespace, with xsi:type, as CDATA, composed or not', async () => {
    for (const content of [
      `<FolderName xmlns="" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:type="xsd:string" xmlns:xsd="x">Öffentlich</FolderName>`,
      '<FolderName><![CDATA[Öffent]]>lich</FolderName>',
      '<FolderName>O\u0308ffentlich</FolderName>',
      '<FolderName>&#xD6;ffentlich</FolderName>',
    ]) {
      expect(namesIn((await post(ask('GetServiceDescriptionsEx', content))).text)).toEqual(['Öffentlich/B']);
    }
  });

  test('UTF-16 in both byte orders, with and without a mark, ISO-8859-1 and US-ASCII are accepted', async () => {
    const xml = ask('GetServiceDescriptionsEx', '<FolderName>Öffentlich</FolderName>');
    const little = Buffer.from(xml, 'utf16le');
    const big = Buffer.from(little).swap16();
    const cases: readonly (readonly [Buffer, string])[] = [
      [Buffer.concat([Buffer.from([0xff, 0xfe]), little]), 'text/xml'],
      [Buffer.concat([Buffer.from([0xfe, 0xff]), big]), 'text/xml'],
      [little, 'text/xml; charset=utf-16'],
      [big, 'text/xml'],
      [Buffer.from(xml, 'latin1'), 'text/xml; charset=ISO-8859-1'],
      [Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?>${xml}`, 'latin1'), 'text/xml'],
    ];
    for (const [bytes, type] of cases)
      expect(namesIn((await post(bytes, { headers: { 'content-type': type } })).text)).toEqual(['Öffentlich/B']);
    expect(
      (await post(ask('GetMessageVersion'), { headers: { 'content-type': 'text/xml; charset=us-ascii' } })).status,
    ).toBe(200);
  });

  test('gzip and deflate bodies are accepted up to the limit', async () => {
    for (const [encoding, body] of [
      ['gzip', gzipSync(simple)],
      ['x-gzip', gzipSync(simple)],
      ['deflate', deflateSync(simple)],
    ] as const) {
      expect((await post(body, { headers: { 'content-encoding': encoding } })).text).toContain(VERSION);
    }
    expect(
      (await post(gzipSync(Buffer.alloc(10_000_000, 32)), { headers: { 'content-encoding': 'gzip' } })).status,
    ).toBe(413);
    expect((await post(simple, { headers: { 'content-encoding': 'br' } })).status).toBe(415);
  });

  test('a request in another accepted namespace is answered in that one, and any other is a fault', async () => {
    const older = await post(envelope('<GetMessageVersion xmlns="urn:older"/>'));
    expect(older.text).toContain('<GetMessageVersionResponse xmlns="urn:older">');
    const other = await post(envelope('<GetMessageVersion xmlns="urn:other"/>'));
    expect([other.status, faultOf(other.text)]).toEqual([500, 'Client']);
    const folder = await post(ask('GetServiceDescriptionsEx', '<FolderName xmlns="urn:other">x</FolderName>'));
    expect(folder.text).toContain('The element FolderName is in the unknown namespace urn:other');
  });
});

describe('[CAT2] SOAP 1.2', () => {
  const headers = { 'content-type': 'application/soap+xml; charset=utf-8; action=""' };

  test('a SOAP 1.2 request gets a SOAP 1.2 answer', async () => {
    const { status, type, text } = await post(envelope(`<GetMessageVersion xmlns="${NS}"/>`, '', SOAP_12), { headers });
    expect({ status, type }).toEqual({ status: 200, type: 'application/soap+xml; charset=utf-8' });
    expect(text).toContain(`<soap:Envelope xmlns:soap="${SOAP_12}">`);
  });

  test('[CAT8] SOAP 1.2 faults are 500 too, with Code and Reason', async () => {
    const { status, type, text } = await post(envelope('<Nonsense/>', '', SOAP_12), { headers });
    expect({ status, type }).toEqual({ status: 500, type: 'application/soap+xml; charset=utf-8' });
    expect(text).toContain(
      '<soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">Unknown operation Nonsense.</soap:Text></soap:Reason>',
    );
  });

  test('the envelope decides the SOAP version, not the media type', async () => {
    expect((await post(ask('GetMessageVersion'), { headers })).type).toBe('text/xml; charset=utf-8');
  });
});

describe('[CAT7] tokens and headers of a SOAP request', () => {
  test('a token may be in the address, a Bearer header, or the password of a UsernameToken', async () => {
    const xml = ask('GetServiceDescriptions');
    expect(namesIn((await post(xml, { headers: { authorization: `Bearer ${token}` } })).text)).toHaveLength(4);
    const security = (more: string) =>
      `<e:Header><w:Security xmlns:w="${SECURITY}" ${more}><w:UsernameToken><w:Username>u</w:Username><w:Password>${token}</w:Password></w:UsernameToken></w:Security></e:Header>`;
    for (const more of ['', 'e:mustUnderstand="1"', 'mustUnderstand="true"']) {
      expect(
        namesIn((await post(envelope(`<GetServiceDescriptions xmlns="${NS}"/>`, security(more)))).text),
      ).toHaveLength(4);
    }
  });

  test('a wrong token is a fault, except for operations that never need one', async () => {
    const url = '/services?token=wrong';
    expect(faultOf((await post(ask('GetServiceDescriptions'), { url })).text)).toBe('Client');
    for (const twice of ['token=wrong&token=wrong', `token=${token}&token=${token}`, `token=${token}&token=`])
      expect(faultOf((await post(ask('GetFolders'), { url: `/services?${twice}` })).text)).toBe('Client');
    expect((await post(ask('RequiresTokens'), { url })).status).toBe(200);
    expect((await post(ask('GetTokenServiceURL'), { url })).status).toBe(200);
    expect((await steward.app.inject({ url: '/services?wsdl&token=wrong' })).statusCode).toBe(200);
  });

  test('if tokens are required, five operations need one', async () => {
    const strict = await startInProcess({
      catalog: {
        namespace: NS,
        alsoAccept: [],
        messageVersion: 'svcProductVersion10',
        messageFormats: 'svcServiceCatalogMessageFormatSoap',
        requiresTokens: true,
      },
    });
    const viewer = await strict.tokenOf('viewer');
    const call = (operation: string, query = '') =>
      strict.app.inject({
        method: 'POST',
        url: `/services${query}`,
        payload: ask(operation),
        headers: { 'content-type': 'text/xml' },
      });
    expect((await call('RequiresTokens')).body).toContain('<Result>true</Result>');
    expect((await call('GetTokenServiceURL')).statusCode).toBe(200);
    for (const operation of [
      'GetMessageVersion',
      'GetMessageFormats',
      'GetFolders',
      'GetServiceDescriptions',
      'GetServiceDescriptionsEx',
    ]) {
      expect((await call(operation)).body).toContain(`${operation} needs a token`);
      expect((await call(operation, `?token=${viewer}`)).statusCode).toBe(200);
    }
    expect((await strict.app.inject({ url: '/rest/services' })).json().error.code).toBe(499);
    await strict.close();
  });

  test('WS-Addressing counts as understood, and another mandatory header does not unless it is for someone else', async () => {
    const withHeader = (block: string, namespace = SOAP_11) =>
      post(envelope(`<GetMessageVersion xmlns="${NS}"/>`, `<e:Header>${block}</e:Header>`, namespace));
    expect((await withHeader(`<a:Action xmlns:a="${ADDRESSING}" e:mustUnderstand="1"/>`)).status).toBe(200);
    const fault = await withHeader('<x:Tx xmlns:x="urn:x" e:mustUnderstand="1"/>');
    expect([fault.status, faultOf(fault.text), fault.text.includes('header Tx')]).toEqual([
      500,
      'MustUnderstand',
      true,
    ]);
    expect((await withHeader('<x:Tx xmlns:x="urn:x" e:mustUnderstand="1" e:actor="urn:elsewhere"/>')).status).toBe(200);
    expect((await withHeader('<x:Tx xmlns:x="urn:x" e:mustUnderstand="0"/>')).status).toBe(200);
    expect((await withHeader('<x:Tx xmlns:x="urn:x" mustUnderstand="1"/>')).status).toBe(200);
    expect((await withHeader('<x:Tx xmlns:x="urn:x" e:mustUnderstand="true"/>', SOAP_12)).text).toContain(
      '<soap:NotUnderstood xmlns:h="urn:x" qname="h:Tx"/>',
    );
  });

  test('the checks run in their order: well-formed, version, headers, the rest', async () => {
    const header = '<e:Header><x:Tx xmlns:x="urn:x" e:mustUnderstand="1"/></e:Header>';
    expect(faultOf((await post(envelope('<Nonsense/>', header))).text)).toBe('MustUnderstand');
    expect(faultOf((await post(envelope('<Nonsense/>', header, 'urn:soap-1.3'))).text)).toBe('VersionMismatch');
    expect(faultOf((await post(`${envelope('<Nonsense/>', header, 'urn:soap-1.3')}<`)).text)).toBe('Client');
    expect(
      (await post(envelope('<a/>', '', 'urn:soap-1.3'), { headers: { 'content-type': 'application/soap+xml' } })).text,
    ).toContain('<soap:Upgrade>');
  });
});

describe('[CAT8] a SOAP fault', () => {
  test('a fault has the plain shape that every client shows', async () => {
    const { status, type, text } = await post(ask('GetNothing'));
    expect({ status, type }).toEqual({ status: 500, type: 'text/xml; charset=utf-8' });
    expect(text).toContain(
      '<soap:Fault><faultcode>soap:Client</faultcode><faultstring>Unknown operation GetNothing.</faultstring><detail/></soap:Fault>',
    );
  });

  test.each([
    ['not XML', 'hello'],
    ['nothing', ''],
    ['cut short', ask('GetMessageVersion').slice(0, -20)],
    ['an unbound prefix', envelope('<x:GetMessageVersion/>')],
    ['an undefined entity', envelope('<GetMessageVersion>&nbsp;</GetMessageVersion>')],
    ['a NUL byte', ask('GetMessageVersion').replace('</GetMessageVersion>', '\u0000</GetMessageVersion>')],
    ['a DTD', `<!DOCTYPE x [<!ENTITY a "b">]>${ask('GetMessageVersion')}`],
    ['an external entity', `<!DOCTYPE x SYSTEM "file:///etc/passwd">${ask('GetMessageVersion')}`],
    ['a processing instruction', `<?php x?>${ask('GetMessageVersion')}`],
    ['XML 1.1', `<?xml version="1.1"?>${ask('GetMessageVersion')}`],
    ['deep nesting', envelope('<a>'.repeat(70) + '</a>'.repeat(70))],
    ['two roots', ask('GetMessageVersion') + ask('GetMessageVersion')],
    ['no Envelope', `<GetMessageVersion xmlns="${NS}"/>`],
    ['no Body', `<e:Envelope xmlns:e="${SOAP_11}"/>`],
    ['an empty Body', envelope('')],
    [
      'an element after the Body',
      envelope(`<GetMessageVersion xmlns="${NS}"/>`).replace('</e:Envelope>', '<x/></e:Envelope>'),
    ],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from(ask('GetMessageVersion').slice(0, -1)), Buffer.from([0xff])]),
    ],
    ['an unknown encoding', `<?xml version="1.0" encoding="ebcdic-x"?>${ask('GetMessageVersion')}`],
  ])('%s is a Client fault', async (_what, xml) => {
    const headers = { 'content-type': 'text/xml' };
    const { status, text } = await post(xml, { headers });
    expect([status, faultOf(text)]).toEqual([500, 'Client']);
  });

  test('a body of more than 64 KiB is 413 without a fault, and another media type is 415', async () => {
    const large = await post(ask('GetMessageVersion', ' '.repeat(70_000)));
    expect([large.status, faultOf(large.text)]).toEqual([413, '']);
    expect((await post('{}', { headers: { 'content-type': 'application/json' } })).status).toBe(415);
  });

  test('hostile XML is refused with little CPU time', async () => {
    const many = 65_000;
    const bodies = [
      '<a>'.repeat(many / 3),
      '<a b="/>">'.repeat(many / 10),
      `<!--${'</'.repeat(many / 2)}-->`,
      `<a ${Array.from({ length: 6000 }, (_, n) => `a${n}=""`).join(' ')}/>`,
      `<a ${Array.from({ length: 2500 }, (_, n) => `xmlns:p${n}="u${n}"`).join(' ')}/>`,
      '<a'.repeat(many / 2),
      `<a b="${'&amp;'.repeat(many / 5)}"/>`,
      '&'.repeat(many),
    ];
    for (const body of bodies) {
      const cpuMs = await cpuTimeOf(async () => {
        expect((await post(body.slice(0, 65_000))).status).toBe(500);
      });
      // Each takes some 20 ms; what grows faster than its input would take many seconds.
      expect(cpuMs).toBeLessThan(2000);
    }
  });
});

test('[DEC28] [ADR1] without a public address, addresses have the host of the request if it is a valid one', async () => {
  const open = await startInProcess();
  const locationFor = async (host: string) =>
    /location="([^"]*)"/.exec((await open.app.inject({ url: '/services?wsdl', headers: { host } })).body)?.[1];
  expect(await locationFor('catalog.example:8080')).toBe('http://catalog.example:8080/services');
  expect(await locationFor('[::1]:6080')).toBe('http://[::1]:6080/services');
  expect(await locationFor('evil"><x')).toBe('http://localhost/services');
  await open.close();
});

describe('[ADR8] the compat dialect', () => {
  test('the compat dialect answers unqualified elements, and its description says so', async () => {
    const { text } = await post(
      envelope(
        `<c:GetServiceDescriptionsEx xmlns:c="${NS}"><FolderName>Öffentlich</FolderName></c:GetServiceDescriptionsEx>`,
      ),
      { url: '/compat/services' },
    );
    expect(text).toContain(
      `<c:GetServiceDescriptionsExResponse xmlns:c="${NS}"><ServiceDescriptions><ServiceDescription><Name>Öffentlich/B</Name>`,
    );
    const wsdl = await steward.app.inject({ url: '/compat/services?wsdl' });
    expect(wsdl.body).toContain('elementFormDefault="unqualified"');
    expect(wsdl.body).toContain('<soap:address location="https://c.example/compat/services"/>');
  });
});

describe('[ADR2] [CAT1] [IFC4] [IFC5] [IFC6] the description of the catalog', () => {
  test.each(['?wsdl', '?WSDL', '?WsDl=', '?x=1&wsdl', '?WSDL&x=1', '?singleWsdl'])('%s is the WSDL', async (query) => {
    const { statusCode, headers, body } = await steward.app.inject({ url: `/services${query}` });
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/xml; charset=utf-8']);
    for (const part of [
      '<wsdl:service name="Catalog">',
      '<wsdl:port name="ServiceCatalogPort" binding="tns:ServiceCatalogBinding">',
      'soapAction=""',
      'elementFormDefault="qualified"',
      '<wsdl:message name="GetFoldersIn">',
      '<xs:enumeration value="svcServiceCatalogMessageFormatSoapOrBin"/>',
      '<xs:enumeration value="svcProductVersion83"/>',
      '<soap:address location="https://c.example/services"/>',
    ])
      expect(body).toContain(part);
  });

  test('?xsd=1 answers the schema alone, and GET a page with the seven operations', async () => {
    expect((await steward.app.inject({ url: '/services?xsd=1' })).body).toMatch(/^<\?xml.*\n<xs:schema /);
    const page = await steward.app.inject({ url: '/services' });
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.body.match(/curl https/g)).toHaveLength(7);
    expect((await steward.app.inject({ method: 'PUT', url: '/services' })).headers['allow']).toBe('GET, HEAD, POST');
  });

  test('the description answers 304 if it has not changed, and is compressed on request', async () => {
    const first = await steward.app.inject({ url: '/services?wsdl', headers: { 'accept-encoding': 'gzip, deflate' } });
    expect(first.headers['content-encoding']).toBe('gzip');
    const again = await steward.app.inject({
      url: '/services?wsdl',
      headers: { 'if-none-match': String(first.headers['etag']) },
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect(
      (await steward.app.inject({ url: '/services?wsdl', headers: { 'accept-encoding': 'gzip;q=0' } })).headers[
        'content-encoding'
      ],
    ).toBeUndefined();
  });
});

describe('[ADR5] the catalog as JSON', () => {
  const get = async (url: string) => (await steward.app.inject({ url })).json();

  test('the JSON catalog has folders and services with the visibility of the SOAP catalog', async () => {
    expect(await get('/rest/services')).toEqual({
      currentVersion: 10,
      folders: ['Leer', 'Öffentlich'],
      services: [{ name: 'Root', type: 'Map', url: 'https://c.example/services/Root/Map' }],
    });
    expect((await get(`/rest/services?token=${token}`)).folders).toEqual(['Geheim', 'Leer', 'Öffentlich']);
    expect((await get(`/rest/services/${encodeURIComponent('Öffentlich')}?f=pjson`)).services).toEqual([
      { name: 'Öffentlich/B', type: 'Map', url: 'https://c.example/services/%C3%96ffentlich/B/Map' },
    ]);
    expect(await get('/rest/services/Leer')).toEqual({ currentVersion: 10, folders: [], services: [] });
    expect((await get('/rest/services/Geheim')).error.code).toBe(404);
    expect((await get('/rest/services?token=wrong')).error.code).toBe(498);
    expect((await get('/rest/services?f=xml')).error.code).toBe(400);
  });

  test('the JSON catalog answers 304 if it has not changed', async () => {
    const first = await steward.app.inject({ url: '/rest/services' });
    const again = await steward.app.inject({
      url: '/rest/services',
      headers: { 'if-none-match': String(first.headers['etag']) },
    });
    expect(again.statusCode).toBe(304);
  });

  test('[DEC27] /rest/info names the token service', async () => {
    expect(await get('/rest/info')).toEqual({
      currentVersion: 10,
      fullVersion: '10.0',
      authInfo: { isTokenBasedSecurity: true, tokenServicesUrl: 'https://c.example/tokens/generateToken' },
      stewardVersion: '0.0.0',
    });
  });
});
