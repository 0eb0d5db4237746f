// The answers of the SOAP catalog, as bytes. Constant answers and rendered listings are cached, so that most requests cost a
// lookup. An answer depends on the operation, the SOAP version, the dialect, the namespace, and what the caller may see.
import type { FolderListing, CatalogListing } from '../../catalog/listing.ts';
import type { Visibility } from '../../catalog/visibility.ts';
import { visibleFolder, visibleFolders } from '../../catalog/visibility.ts';
import { fieldXml, folderNamesXml, responseFrame } from '../../wire/soap/catalogMessages.ts';
import type { CatalogOperation, SoapDialect } from '../../wire/soap/catalogSchema.ts';
import type { SoapFault, SoapVersion } from '../../wire/soap/envelope.ts';
import type { SoapRequest } from '../../wire/soap/soapRequest.ts';
import type { CatalogSettings, RenderedCatalogDependencies } from './catalogDependencies.ts';

const LONGEST_FOLDER_NAME = 500;

/** A valid envelope, and how its answer is written. */
export interface SoapCall {
  readonly operation: CatalogOperation;
  readonly request: SoapRequest;
  readonly dialect: SoapDialect;
  readonly namespace: string;
  /** Called by the operations that need it; most constant answers do not. */
  readonly origin: () => string;
}

/** An error that is answered as a SOAP fault. */
export class SoapFailure extends Error {
  readonly version: SoapVersion;
  readonly fault: SoapFault;
  constructor(version: SoapVersion, fault: SoapFault, cause?: unknown) {
    super(fault.reason, { cause });
    this.version = version;
    this.fault = fault;
  }
}

export function clientFailure(version: SoapVersion, reason: string): SoapFailure {
  return new SoapFailure(version, { code: 'Client', reason });
}

/** Returns the namespace of the answer: that of the request, or ours if it has none. */
export function answerNamespace(
  namespace: string,
  element: string,
  { namespace: ours, alsoAccept }: CatalogSettings,
  version: SoapVersion,
): string {
  if (namespace === '' || namespace === ours) return ours;
  if (alsoAccept.includes(namespace)) return namespace;
  const reason = `The element ${element} is in the unknown namespace ${namespace}; it must be in ${ours}.`;
  throw clientFailure(version, reason);
}

function framed({ operation, request, dialect, namespace }: SoapCall, content: string): Buffer {
  const { open, close } = responseFrame(operation, request.version, dialect, namespace);
  return Buffer.from(open + content + close);
}

type Answers = Readonly<Record<CatalogOperation, (call: SoapCall, view: Visibility) => Buffer | Promise<Buffer>>>;

export function createSoapAnswers({ areas, settings, renderer }: RenderedCatalogDependencies): Answers {
  /** Namespaces are checked before, so the number of keys is bounded. */
  const constants = new Map<string, Buffer>();

  /** Returns an answer that depends on the settings only. */
  function constant(call: SoapCall, content: string): Buffer {
    const key = `${call.operation} ${call.request.version} ${call.dialect} ${call.namespace}`;
    const known = constants.get(key) ?? framed(call, content);
    constants.set(key, known);
    return known;
  }

  function descriptions(
    { operation, request: { version }, dialect, namespace, origin: originOf }: SoapCall,
    listing: CatalogListing,
    folders: readonly FolderListing[],
    view: Visibility,
    folderName: string,
  ): Promise<Buffer> {
    const origin = originOf();
    const key = `${operation} ${version} ${dialect} ${view} ${namespace} ${origin} ${folderName}`;
    return renderer.answer(listing, key, () => {
      const { open, close } = responseFrame(operation, version, dialect, namespace);
      const [start, end] = [`${open}<ServiceDescriptions>`, `</ServiceDescriptions>${close}`];
      return renderer.services(folders, { format: 'xml', view, origin }, start, end);
    });
  }

  async function descriptionsInFolder(call: SoapCall, view: Visibility): Promise<Buffer> {
    const { folderName, version } = call.request;
    if (folderName !== undefined) answerNamespace(folderName.namespace, 'FolderName', settings, version);
    const text = (folderName?.text ?? '').slice(0, LONGEST_FOLDER_NAME).normalize('NFC');
    const name = text === '/' ? '' : text;
    const listing = await areas.catalog.listing();
    const folder = visibleFolder(listing, name, view);
    if (folder === undefined) throw clientFailure(version, `FolderName: no folder named \`${name}\`.`);
    return descriptions(call, listing, [folder], view, name);
  }

  return {
    GetMessageVersion: (call) => constant(call, fieldXml('MessageVersion', settings.messageVersion)),
    GetMessageFormats: (call) => constant(call, fieldXml('MessageFormats', settings.messageFormats)),
    RequiresTokens: (call) => constant(call, fieldXml('Result', String(settings.requiresTokens))),
    GetTokenServiceURL: (call) => framed(call, fieldXml('TokenServiceURL', `${call.origin()}/tokens/generateToken`)),
    async GetFolders(call, view) {
      const shown = visibleFolders(await areas.catalog.listing(), view);
      return framed(call, folderNamesXml(shown.map(({ folder }) => folder.name)));
    },
    async GetServiceDescriptions(call, view) {
      const listing = await areas.catalog.listing();
      return descriptions(call, listing, listing.folders, view, '');
    },
    GetServiceDescriptionsEx: descriptionsInFolder,
  };
}
