// The SOAP face of the catalog, 1.1 and 1.2 at one address. It reads envelopes instead of forms; identity, origin and refusals
// are those of the edge. Errors before the envelope is read are plain failures, later ones are faults.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Visibility } from '../../catalog/visibility.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import type { SoapDialect } from '../../wire/soap/catalogSchema.ts';
import { isCatalogOperation } from '../../wire/soap/catalogSchema.ts';
import type { SoapVersion } from '../../wire/soap/envelope.ts';
import { ENVELOPES, faultEnvelope } from '../../wire/soap/envelope.ts';
import type { SoapRequest } from '../../wire/soap/soapRequest.ts';
import { createSoapReader } from '../../wire/soap/soapRequest.ts';
import { findSoapCredential } from '../server/request/credential.ts';
import { formOf } from '../server/request/form.ts';
import { inflate } from '../server/request/inflate.ts';
import { LIMITS } from '../server/limits.ts';
import type { Fail } from '../server/registerRoute.ts';
import { sendBytes } from '../server/send.ts';
import type { RenderedCatalogDependencies } from './catalogDependencies.ts';
import type { SoapCall } from './soapAnswers.ts';
import { SoapFailure, answerNamespace, clientFailure, createSoapAnswers } from './soapAnswers.ts';

export const SOAP_MEDIA_TYPES = ['text/xml', 'application/soap+xml', 'application/xml'];
const MEDIA = /^(?:text\/xml|application\/soap\+xml|application\/xml)\s*(?:;|$)/i;
const NO_BYTES = Buffer.alloc(0);

function unsupportedMedia(): StewardError {
  return new StewardError('unsupportedMedia', 'Send a SOAP envelope as text/xml or application/soap+xml.');
}

/** Fastify refuses a type that it cannot parse before the handler sees it. */
function isUnreadableType(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
}

/** Makes an error handler that answers faults, and leaves every other error to `fail`. */
export function failAsSoap(log: Log, fail: Fail): Fail {
  return (error, request, reply) => {
    if (isUnreadableType(error)) return fail(unsupportedMedia(), request, reply);
    if (!(error instanceof SoapFailure)) return fail(error, request, reply);
    const { version, fault, cause } = error;
    if (cause !== undefined) log.error({ requestId: request.id, reason: reasonOf(cause) }, 'a SOAP request failed');
    reply.status(500).type(ENVELOPES[version].contentType).send(faultEnvelope(version, fault));
  };
}

/** A caller can correct a client fault; the reason of any other error goes to the log. */
function asSoapFailure(error: unknown, version: SoapVersion): SoapFailure {
  if (error instanceof SoapFailure) return error;
  if (error instanceof StewardError && error.code === 'tokenInvalid')
    return clientFailure(version, [error.message, ...error.details].join(' '));
  const reason =
    'The catalog cannot be read at the moment. Try again. The server log has the reason under the X-Request-Id of this response.';
  return new SoapFailure(version, { code: 'Server', reason }, error);
}

/** Makes the handlers of `POST` on the SOAP catalog. */
export function createSoapCatalog(dependencies: RenderedCatalogDependencies) {
  const { edge, settings } = dependencies;
  const answers = createSoapAnswers(dependencies);
  const readSoap = createSoapReader();

  /** A token that is sent must be valid, even if none is required. Two operations tell how to get one, and take none. */
  function viewOf(request: FastifyRequest, { operation, request: soap }: SoapCall): Visibility | Promise<Visibility> {
    if (operation === 'RequiresTokens' || operation === 'GetTokenServiceURL') return 'public';
    const credential = findSoapCredential(request, formOf(request.query), soap.password);
    if (credential !== undefined) {
      const actor = edge.identify(request, credential);
      return actor instanceof Promise ? actor.then(() => 'all') : 'all';
    }
    if (!settings.requiresTokens) return 'public';
    throw clientFailure(
      soap.version,
      `${operation} needs a token: on the address (?token=), as Bearer, or as the password of a UsernameToken. GetTokenServiceURL returns where to get one.`,
    );
  }

  function readEnvelope(bytes: Buffer, contentType: string | undefined): SoapRequest {
    const read = readSoap(bytes, contentType);
    if (read.kind === 'fault') throw new SoapFailure(read.version, read.fault);
    return read.request;
  }

  function callOf(request: FastifyRequest, soap: SoapRequest, dialect: SoapDialect): SoapCall {
    const { name: operation, namespace } = soap.operation;
    if (!isCatalogOperation(operation)) throw clientFailure(soap.version, `Unknown operation ${operation}.`);
    const origin = (): string => edge.originOf(request).address;
    const answeredIn = answerNamespace(namespace, operation, settings, soap.version);
    return { operation, request: soap, dialect, namespace: answeredIn, origin };
  }

  return (dialect: SoapDialect) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { 'content-type': contentType, 'content-encoding': encoding } = request.headers;
      if (contentType !== undefined && !MEDIA.test(contentType)) throw unsupportedMedia();
      const sent = (request.body as Buffer | null | undefined) ?? NO_BYTES;
      const bytes = encoding === undefined ? sent : await inflate(sent, encoding, LIMITS.soap);
      const soap = readEnvelope(bytes, contentType);
      try {
        const call = callOf(request, soap, dialect);
        const view = viewOf(request, call);
        const body = answers[call.operation](call, view instanceof Promise ? await view : view);
        reply.type(ENVELOPES[soap.version].contentType);
        const sending = sendBytes(request, reply, body instanceof Promise ? await body : body);
        if (sending instanceof Promise) await sending;
      } catch (error) {
        throw asSoapFailure(error, soap.version);
      }
    };
}
