import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClientAsync } from 'soap';
import strong from 'strong-soap';
import { runCommand } from '../support/run/runFolder.ts';
import type { CatalogOperation } from '../../src/wire/soap/catalogSchema.ts';

const createStrongClient = promisify(strong.soap.createClient);

export type SoapVersion = '1.1' | '1.2';

export const ENVELOPES: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};

/** The fields of a ServiceDescription. An empty field is '', null or missing, depending on the client. */
export type Description = Readonly<Record<string, string | null>>;

/** The answers to all operations. */
export interface Seen {
  readonly version: string;
  readonly formats: string;
  readonly tokenUrl: string;
  readonly requiresTokens: boolean;
  readonly folders: readonly string[];
  readonly all: readonly Description[];
  readonly weather: readonly Description[];
  readonly root: readonly Description[];
  readonly empty: readonly Description[];
  /** The client's error for a folder that does not exist. */
  readonly fault: string;
  /** The namespace of the last envelope that it sent. */
  readonly envelope: string;
}

export interface SoapClient {
  readonly name: string;
  readonly version: SoapVersion;
  readonly isOfDebian: boolean;
  see(wsdl: string, endpoint: string): Promise<Seen>;
}

interface Answer {
  readonly MessageVersion: string;
  readonly MessageFormats: string;
  readonly TokenServiceURL: string;
  readonly Result: boolean;
  readonly FolderNames: { readonly String: readonly string[] };
  readonly ServiceDescriptions: { readonly ServiceDescription: readonly Description[] } | null;
}

type Call = (operation: CatalogOperation, input: Readonly<Record<string, string>>) => Promise<Answer>;

const listOf = ({ ServiceDescriptions }: Answer) => ServiceDescriptions?.ServiceDescription ?? [];

async function seeAll(call: Call, lastRequest: () => string): Promise<Seen> {
  const folder = async (FolderName: string) => listOf(await call('GetServiceDescriptionsEx', { FolderName }));
  return {
    version: (await call('GetMessageVersion', {})).MessageVersion,
    formats: (await call('GetMessageFormats', {})).MessageFormats,
    tokenUrl: (await call('GetTokenServiceURL', {})).TokenServiceURL,
    requiresTokens: (await call('RequiresTokens', {})).Result,
    folders: (await call('GetFolders', {})).FolderNames.String,
    all: listOf(await call('GetServiceDescriptions', {})),
    weather: await folder('Weather'),
    root: await folder(''),
    empty: await folder('Empty'),
    fault: await folder('Nowhere').then(
      () => '',
      (error: Error) => error.message,
    ),
    envelope: /:Envelope xmlns:\w+="([^"]*)"/.exec(lastRequest())?.[1] ?? '',
  };
}

type Callback = (error: Error | null, answer: Answer) => void;
type Operation = (input: Readonly<Record<string, string>>, done: Callback) => void;

/** The stubs of both npm packages have a method with a callback for each operation. */
function callOf(client: Readonly<Record<string, unknown>>): Call {
  return (operation, input) =>
    new Promise((resolve, reject) => {
      const stub = (client[operation] as Operation).bind(client);
      stub(input, (error, answer) => (error === null || error === undefined ? resolve(answer) : reject(error)));
    });
}

function npmSoap(version: SoapVersion): SoapClient {
  return {
    name: 'npm soap',
    version,
    isOfDebian: false,
    async see(wsdl, endpoint) {
      const client = await createClientAsync(wsdl, { forceSoap12Headers: version === '1.2', disableCache: true });
      client.setEndpoint(endpoint);
      return seeAll(callOf(client), () => client.lastRequest ?? '');
    },
  };
}

function npmStrongSoap(version: SoapVersion): SoapClient {
  return {
    name: 'npm strong-soap',
    version,
    isOfDebian: false,
    async see(wsdl, endpoint) {
      // The package caches the SOAP version with the description, so a shared cache would decide the version.
      const client = await createStrongClient(wsdl, { forceSoapVersion: version, WSDL_CACHE: {} });
      client.setEndpoint(endpoint);
      return seeAll(callOf(client), () => client.lastRequest);
    },
  };
}

function script(name: string, version: SoapVersion, program: string, file: string): SoapClient {
  return {
    name,
    version,
    isOfDebian: true,
    async see(wsdl, endpoint) {
      const args = [join(import.meta.dirname, file), wsdl, endpoint, version];
      const { stdout, stderr } = await runCommand(program, args, { env: { PATH: process.env['PATH'] } });
      if (stdout === '') throw new Error(`${name} printed nothing: ${stderr}`);
      return JSON.parse(stdout) as Seen;
    },
  };
}

export const CLIENTS: readonly SoapClient[] = [
  npmSoap('1.1'),
  npmSoap('1.2'),
  npmStrongSoap('1.1'),
  npmStrongSoap('1.2'),
  // zeep takes the SOAP version from the binding, and the description has only the binding of 1.1.
  script('zeep', '1.1', '/usr/bin/python3', 'zeepClient.py'),
  script('PHP SoapClient', '1.1', '/usr/bin/php', 'phpClient.php'),
  script('PHP SoapClient', '1.2', '/usr/bin/php', 'phpClient.php'),
];
