import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StewardError, reasonOf } from '../foundation/errors.ts';
import type { Log } from '../foundation/log.ts';
import { serviceDescriptionsResponse } from '../wire/catalogMessages.ts';
import { envelope, faultEnvelope, readEnvelope } from '../wire/envelope.ts';
import { originOf } from './call.ts';
import { findCredential } from './credential.ts';
import type { Form } from './form.ts';
import type { Areas } from './routes.ts';

const LIMIT = 64 * 1024;

export interface SoapNeeds {
  readonly areas: Areas;
  readonly log: Log;
  readonly publicUrl: string | undefined;
  readonly namespace: string;
}

/** The catalog at /services. So far one operation, GetServiceDescriptions, in SOAP 1.1. */
export function registerSoap(app: FastifyInstance, needs: SoapNeeds): void {
  const { areas, namespace } = needs;

  /** Without a token the public services, with one of any role all of them; one that is sent must be valid. */
  async function seesPrivate(request: FastifyRequest): Promise<boolean> {
    const { token } = request.query as Form;
    const credential = typeof token === 'string' && token !== '' ? { secret: token } : findCredential(request, {}, {});
    if (credential === undefined) return false;
    const { referer } = request.headers;
    const actor = await areas.access.tokens.authenticate(credential.secret, {
      address: request.ip,
      referer,
      requestId: request.id,
    });
    request.who = actor.name;
    return true;
  }

  async function answer(request: FastifyRequest, body: Buffer): Promise<string> {
    if (!isUtf8(body)) throw new StewardError('invalid', 'The request is not valid UTF-8.');
    const read = readEnvelope(body.toString().replace(/^\ufeff/, ''));
    if ('fault' in read) throw new StewardError('invalid', read.fault);
    const { operation, namespace: asked } = read.request;
    if (asked !== namespace && asked !== '')
      throw new StewardError('invalid', `The element ${operation} is in the unknown namespace ${asked}.`);
    if (operation !== 'GetServiceDescriptions')
      throw new StewardError('invalid', `The operation ${operation} is not known.`);
    const isPrivateSeen = await seesPrivate(request);
    const services = (await areas.catalog.listing()).folders.flatMap(({ chunks }) => chunks.flat());
    const visible = services.filter(
      ({ state, access }) => state === 'running' && (isPrivateSeen || access === 'public'),
    );
    return envelope(serviceDescriptionsResponse(visible, originOf(request, needs.publicUrl).address, namespace));
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.type('text/xml; charset=utf-8');
    try {
      return await reply.send(await answer(request, (request.body as Buffer | undefined) ?? Buffer.alloc(0)));
    } catch (error) {
      if (error instanceof StewardError && error.code !== 'unavailable') {
        return reply.status(500).send(faultEnvelope('Client', [error.message, ...error.details].join(' ')));
      }
      needs.log.error({ requestId: request.id, reason: reasonOf(error) }, 'a SOAP request failed');
      return reply
        .status(500)
        .send(faultEnvelope('Server', 'Internal error. The log has the reason under this request id.'));
    }
  }

  app.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      ['text/xml', 'application/soap+xml', 'application/xml'],
      { parseAs: 'buffer', bodyLimit: LIMIT },
      (_request, body, parsed) => parsed(null, body),
    );
    scope.post('/services', handle);
    registered();
  });
}
