import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FolderListing, CatalogListing } from '../../catalog/listing.ts';
import type { Visibility } from '../../catalog/visibility.ts';
import { visibleFolder, visibleFolders } from '../../catalog/visibility.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { fieldXml, folderNamesXml, responseFrame } from '../../wire/soap/catalogMessages.ts';
import type { CatalogOperation, Dialect } from '../../wire/soap/catalogSchema.ts';
import { isCatalogOperation } from '../../wire/soap/catalogSchema.ts';
import type { SoapFault, SoapVersion } from '../../wire/soap/envelope.ts';
import { ENVELOPES, faultEnvelope } from '../../wire/soap/envelope.ts';
import type { SoapRequest } from '../../wire/soap/soapRequest.ts';
import { createSoapReader } from '../../wire/soap/soapRequest.ts';
import { decodeXml } from '../../wire/soap/xmlText.ts';
import { callerOf, originOf } from '../server/handler.ts';
import { inflated, sendBytes } from '../server/compression.ts';
import { bearerOf } from '../server/credential.ts';
import type { Form } from '../server/form.ts';
import type { CatalogRenderer } from './catalogRenderer.ts';
import type { Areas } from '../server/routes.ts';

const LIMIT = 64 * 1024;
const MEDIA_TYPES = ['text/xml', 'application/soap+xml', 'application/xml'];
const MEDIA = /^(?:text\/xml|application\/soap\+xml|application\/xml)\s*(?:;|$)/i;
const NOTHING = Buffer.alloc(0);

export interface CatalogSettings {
  readonly namespace: string;
  /** Older or newer releases of the schema; who asks in one of them is answered in it. */
  readonly alsoAccept: readonly string[];
  readonly messageVersion: string;
  readonly messageFormats: string;
  readonly requiresTokens: boolean;
}

export interface SoapNeeds {
  readonly areas: Areas;
  readonly log: Log;
  readonly publicUrl: string | undefined;
  readonly catalog: CatalogSettings;
  readonly rendering: CatalogRenderer;
}

/** What one request asks, and how it wants to be answered. */
interface Asked {
  readonly operation: CatalogOperation;
  readonly request: SoapRequest;
  readonly dialect: Dialect;
  readonly namespace: string;
  readonly origin: string;
}

class Fault extends Error {
  readonly fault: SoapFault;
  constructor(reason: string) {
    super(reason);
    this.fault = { code: 'Client', reason };
  }
}

/** The namespace to answer in: that of the request, ours where it has none. */
function answerIn(namespace: string, element: string, { namespace: ours, alsoAccept }: CatalogSettings): string {
  if (namespace === '' || namespace === ours) return ours;
  if (alsoAccept.includes(namespace)) return namespace;
  throw new Fault(`The element ${element} is in the unknown namespace ${namespace}; it must be in ${ours}.`);
}

function framed({ operation, request, dialect, namespace }: Asked, content: string): Buffer {
  const { open, close } = responseFrame(operation, request.version, dialect, namespace);
  return Buffer.from(open + content + close);
}

function createAnswers({ areas, catalog, rendering }: SoapNeeds) {
  const constant = new Map<string, Buffer>();

  /** Answers that depend on nothing but the settings. */
  function settled(asked: Asked, content: string): Buffer {
    const key = `${asked.operation} ${asked.request.version} ${asked.dialect} ${asked.namespace}`;
    const known = constant.get(key) ?? framed(asked, content);
    constant.set(key, known);
    return known;
  }

  function descriptions(
    asked: Asked,
    listing: CatalogListing,
    folders: readonly FolderListing[],
    view: Visibility,
    which: string,
  ): Promise<Buffer> {
    const { operation, request, dialect, namespace, origin } = asked;
    return rendering.answer(
      listing,
      `${operation} ${request.version} ${dialect} ${view} ${namespace} ${origin} ${which}`,
      () => {
        const { open, close } = responseFrame(operation, request.version, dialect, namespace);
        return rendering.services(
          folders,
          { as: 'xml', view, origin },
          `${open}<ServiceDescriptions>`,
          `</ServiceDescriptions>${close}`,
        );
      },
    );
  }

  async function ofFolder(asked: Asked, view: Visibility): Promise<Buffer> {
    const { folderName } = asked.request;
    if (folderName !== undefined) answerIn(folderName.namespace, 'FolderName', catalog);
    const text = (folderName?.text ?? '').slice(0, 500).normalize('NFC');
    const name = text === '/' ? '' : text;
    const listing = await areas.catalog.listing();
    const folder = visibleFolder(listing, name, view);
    if (folder === undefined) throw new Fault(`FolderName: there is no folder ${name}.`);
    return descriptions(asked, listing, [folder], view, name);
  }

  const answers: Readonly<Record<CatalogOperation, (asked: Asked, view: Visibility) => Buffer | Promise<Buffer>>> = {
    GetMessageVersion: (asked) => settled(asked, fieldXml('MessageVersion', catalog.messageVersion)),
    GetMessageFormats: (asked) => settled(asked, fieldXml('MessageFormats', catalog.messageFormats)),
    RequiresTokens: (asked) => settled(asked, fieldXml('Result', String(catalog.requiresTokens))),
    GetTokenServiceURL: (asked) => framed(asked, fieldXml('TokenServiceURL', `${asked.origin}/tokens/generateToken`)),
    async GetFolders(asked, view) {
      const shown = visibleFolders(await areas.catalog.listing(), view);
      return framed(asked, folderNamesXml(shown.map(({ folder }) => folder.name)));
    },
    async GetServiceDescriptions(asked, view) {
      const listing = await areas.catalog.listing();
      return descriptions(asked, listing, listing.folders, view, '');
    },
    GetServiceDescriptionsEx: ofFolder,
  };
  return answers;
}

/** The catalog over SOAP, 1.1 and 1.2 at one address, in both dialects. */
export function registerSoap(app: FastifyInstance, needs: SoapNeeds): void {
  const { areas, catalog, log } = needs;
  const answers = createAnswers(needs);
  const readSoap = createSoapReader();

  /** The token goes on the address, as Bearer, or as the password of a UsernameToken; one that is sent must be valid. */
  async function viewOf(request: FastifyRequest, { operation, request: soap }: Asked): Promise<Visibility> {
    if (operation === 'RequiresTokens' || operation === 'GetTokenServiceURL') return 'public';
    const { token } = request.query as Form;
    const secret =
      (typeof token === 'string' && token !== '' ? token : undefined) ?? bearerOf(request) ?? soap.password;
    if (secret === undefined || secret === '') {
      if (catalog.requiresTokens)
        throw new Fault(
          `${operation} needs a token: on the address (?token=), as Bearer, or as the password of a UsernameToken. GetTokenServiceURL says where to get one.`,
        );
      return 'public';
    }
    try {
      request.who = (await areas.access.tokens.authenticate(secret, callerOf(request))).name;
      return 'all';
    } catch (error) {
      if (error instanceof StewardError && error.code === 'tokenInvalid')
        throw new Fault([error.message, ...error.details].join(' '));
      throw error;
    }
  }

  async function handle(request: FastifyRequest, reply: FastifyReply, dialect: Dialect): Promise<FastifyReply> {
    const contentType = request.headers['content-type'];
    if (contentType !== undefined && !MEDIA.test(contentType))
      throw new StewardError('unsupportedMedia', 'Send a SOAP envelope as text/xml or application/soap+xml.');
    const sent = (request.body as Buffer | null | undefined) ?? NOTHING;
    const encoding = request.headers['content-encoding'];
    const bytes = encoding === undefined ? sent : await inflated(sent, encoding, LIMIT);
    let version: SoapVersion =
      contentType !== undefined && /^application\/soap\+xml/i.test(contentType) ? '1.2' : '1.1';
    const fail = (fault: SoapFault): FastifyReply =>
      reply.status(500).type(ENVELOPES[version].contentType).send(faultEnvelope(version, fault));
    const decoded = decodeXml(bytes, contentType);
    if ('problem' in decoded) return fail({ code: 'Client', reason: decoded.problem });
    const read = readSoap(decoded.text, version);
    version = 'fault' in read ? read.version : read.request.version;
    if ('fault' in read) return fail(read.fault);
    try {
      const { name, namespace } = read.request.operation;
      if (!isCatalogOperation(name)) throw new Fault(`The operation ${name} is not known.`);
      const origin = originOf(request, needs.publicUrl).address;
      const asked: Asked = {
        operation: name,
        request: read.request,
        dialect,
        namespace: answerIn(namespace, name, catalog),
        origin,
      };
      const body = await answers[name](asked, await viewOf(request, asked));
      return await sendBytes(request, reply.type(ENVELOPES[version].contentType), body);
    } catch (error) {
      if (error instanceof Fault) return fail(error.fault);
      log.error({ requestId: request.id, reason: reasonOf(error) }, 'a SOAP request failed');
      return fail({
        code: 'Server',
        reason: 'The catalog cannot be read at the moment. Try again; the log has the reason under this request id.',
      });
    }
  }

  app.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers();
    // Any type at all, so that we can say which ones would do; the named ones are found faster.
    scope.addContentTypeParser(
      [...MEDIA_TYPES, '*'],
      { parseAs: 'buffer', bodyLimit: LIMIT },
      (_request, body, parsed) => parsed(null, body),
    );
    scope.post('/services', (request, reply) => handle(request, reply, 'clean'));
    scope.post('/compat/services', (request, reply) => handle(request, reply, 'compat'));
    registered();
  });
}
