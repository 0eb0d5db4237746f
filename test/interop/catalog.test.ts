import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CatalogOperation } from '../../src/wire/soap/catalogSchema.ts';
import { CATALOG_OPERATIONS } from '../../src/wire/soap/catalogSchema.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import type { Fields } from '../support/server/client.ts';
import { runCommand, temporaryFolder } from '../support/run/runFolder.ts';
import type { Description, SoapVersion } from './clients.ts';
import { CLIENTS, ENVELOPES } from './clients.ts';

const NS = 'http://www.svc.example/schemas/Product/10.0';
const FOLDERS = ['Empty', 'Finance', 'Logistics', 'Weather'];
/** In the order of the catalog: by folder, the root first, and by name. */
const SERVICES: readonly (Fields & Readonly<Record<'folderName' | 'serviceName' | 'access', string>>)[] = [
  { folderName: '', serviceName: 'Overview', type: 'Map', access: 'public' },
  { folderName: 'Finance', serviceName: 'ExchangeRates', type: 'Query', access: 'public' },
  { folderName: 'Finance', serviceName: 'Invoices', type: 'Query', access: 'private' },
  { folderName: 'Logistics', serviceName: 'Depots', type: 'Map', access: 'public', capabilities: 'Read,Search' },
  { folderName: 'Logistics', serviceName: 'Parcels', type: 'Query', access: 'private' },
  {
    folderName: 'Logistics',
    serviceName: 'Zürich.Übersicht',
    type: 'Report',
    access: 'public',
    capabilities: 'Run',
    description: 'overview of the Zürich depot <draft> & notes',
  },
  { folderName: 'Weather', serviceName: 'Forecast', type: 'Query', access: 'public' },
  { folderName: 'Weather', serviceName: 'Warnings', type: 'Query', access: 'public' },
];
const fullName = ({ folderName, serviceName }: (typeof SERVICES)[number]): string =>
  folderName === '' ? serviceName : `${folderName}/${serviceName}`;
const ALL = SERVICES.map(fullName);
const PUBLIC = SERVICES.filter(({ access }) => access === 'public').map(fullName);
const DIALECTS = [
  ['clean', '/services'],
  ['compat', '/compat/services'],
] as const;
const CALLERS = [
  ['without a token', PUBLIC, false],
  ['with a token', ALL, true],
] as const;

const hasSoapClients = inject('hasSoapClients');
const debian = hasSoapClients
  ? ''
  : ' (left out: this machine lacks one of python3-zeep, php-cli, php-soap, libxml2-utils)';

const folder = temporaryFolder();
let steward: StewardProcess;
let token: string;

beforeAll(async () => {
  steward = await startSteward({ data: join(folder.path, 'data') });
  token = await steward.token();
  for (const folderName of FOLDERS) await steward.must('/admin/services/createFolder', { token, folderName });
  for (const service of SERVICES) await steward.must('/admin/services/createService', { token, ...service });
});
afterAll(async () => {
  await steward?.end('SIGKILL');
  folder.remove();
});

const queryOf = (hasToken: boolean): string => (hasToken ? `?token=${encodeURIComponent(token)}` : '');
const namesOf = (list: readonly Description[]) => list.map(({ Name }) => Name);

interface Listing {
  readonly folders: readonly string[];
  readonly services: readonly { readonly name: string; readonly type: string; readonly url: string }[];
}

async function restListing(path: string, hasToken: boolean): Promise<Listing> {
  const response = await fetch(`${steward.url}/rest/services${path}${queryOf(hasToken)}`);
  return (await response.json()) as Listing;
}

async function restServices(hasToken: boolean): Promise<Listing['services']> {
  const { folders, services } = await restListing('', hasToken);
  const inFolders = await Promise.all(folders.map((name) => restListing(`/${name}`, hasToken)));
  return [services, ...inFolders.map((listing) => listing.services)].flat();
}

for (const client of CLIENTS) {
  const isLeftOut = client.isOfDebian && !hasSoapClients;
  const title = `${client.name}, SOAP ${client.version}${isLeftOut ? debian : ''}`;
  describe.skipIf(isLeftOut)(`[ADR2] [ADR8] [CAT1] [IFC7] ${title}`, () => {
    describe.each(DIALECTS)('the %s dialect', (_dialect, path) => {
      test.each(CALLERS)('[CAT3] [CAT7] the client calls the seven operations %s', async (_who, names, hasToken) => {
        const endpoint = `${steward.url}${path}`;
        const seen = await client.see(`${endpoint}?wsdl`, endpoint + queryOf(hasToken));
        expect(seen).toMatchObject({
          version: 'svcProductVersion10',
          formats: 'svcServiceCatalogMessageFormatSoap',
          tokenUrl: `${steward.url}/tokens/generateToken`,
          requiresTokens: false,
          folders: FOLDERS,
          empty: [],
          fault: expect.stringContaining('no folder named `Nowhere`'),
          envelope: ENVELOPES[client.version],
        });
        expect(namesOf(seen.all)).toEqual(names);
        expect(namesOf(seen.weather)).toEqual(['Weather/Forecast', 'Weather/Warnings']);
        expect(namesOf(seen.root)).toEqual(['Overview']);
        expect(seen.all.map(({ Name, Type, Url }) => ({ name: Name, type: Type, url: Url }))).toEqual(
          await restServices(hasToken),
        );
        const umlauts = seen.all.find(({ Name }) => Name === 'Logistics/Zürich.Übersicht');
        expect(umlauts).toMatchObject({
          Capabilities: 'Run',
          Description: 'overview of the Zürich depot <draft> & notes',
        });
        expect(umlauts?.['ParentType'] ?? '').toBe('');
      });
    });
  });
}

describe.skipIf(!hasSoapClients)(`[IFC2] [IFC3] [CAT4] the schema of the catalog, checked by xmllint${debian}`, () => {
  const CALLS: readonly (readonly [CatalogOperation, string])[] = [
    ...(Object.keys(CATALOG_OPERATIONS) as CatalogOperation[]).map((operation) => [operation, ''] as const),
    ...['Weather', '', 'Empty'].map(
      (name) => ['GetServiceDescriptionsEx', `<FolderName>${name}</FolderName>`] as const,
    ),
  ];

  async function payloadOf(address: string, version: SoapVersion, [operation, content]: (typeof CALLS)[number]) {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': version === '1.1' ? 'text/xml' : 'application/soap+xml' },
      body: `<e:Envelope xmlns:e="${ENVELOPES[version]}"><e:Body><${operation} xmlns="${NS}">${content}</${operation}></e:Body></e:Envelope>`,
    });
    const payload = /<soap:Body>(.*)<\/soap:Body>/s.exec(await response.text())?.[1] ?? '';
    expect(payload).toContain(`${operation}Response`);
    return payload;
  }

  async function validate(schema: string, files: readonly string[]) {
    const args = ['--noout', '--nonet', '--schema', schema, ...files];
    const { status, stderr } = await runCommand('/usr/bin/xmllint', args);
    return { status, stderr };
  }

  test.each(DIALECTS)('every answer of the %s dialect is valid', async (dialect, path) => {
    const address = `${steward.url}${path}`;
    const xsd = await (await fetch(`${address}?xsd=1`)).text();
    const schema = join(folder.path, `${dialect}.xsd`);
    writeFileSync(schema, xsd);
    const files: string[] = [];
    const write = (payload: string): string => {
      const file = join(folder.path, `${dialect}-${files.length}.xml`);
      writeFileSync(file, payload);
      files.push(file);
      return file;
    };
    for (const version of ['1.1', '1.2'] as const)
      for (const query of [queryOf(false), queryOf(true)])
        for (const call of CALLS) write(await payloadOf(address + query, version, call));
    expect(await validate(schema, files)).toEqual({
      status: 0,
      stderr: files.map((file) => `${file} validates\n`).join(''),
    });

    const wrong = write((await payloadOf(address, '1.1', ['RequiresTokens', ''])).replace('false', 'maybe'));
    expect(await validate(schema, [wrong])).toMatchObject({ status: 3, stderr: expect.stringContaining('xs:boolean') });
  });

  test.each(DIALECTS)('the schema of the %s dialect equals the one inside its description', async (_dialect, path) => {
    const [wsdl, xsd] = await Promise.all(
      ['?wsdl', '?xsd=1'].map(async (query) => (await fetch(`${steward.url}${path}${query}`)).text()),
    );
    expect(wsdl).toContain(`<wsdl:types>${xsd?.replace(/^<\?xml.*\n/, '')}</wsdl:types>`);
  });
});
