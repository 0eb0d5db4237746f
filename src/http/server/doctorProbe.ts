// What `steward doctor` asks through the public address. Only a holder of the master key is answered; for everyone else the address
// does not exist.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { canonicalAddress } from '../../access/address.ts';
import type { Clock } from '../../foundation/clock.ts';
import { MINUTE } from '../../foundation/clock.ts';
import type { Sealer } from '../../foundation/sealer.ts';
import type { SeenRequest } from '../../wire/answers/doctorAnswer.ts';
import { EVENTS_APART_MS, PROOF_HEADER, proofText } from '../../wire/answers/doctorAnswer.ts';
import { beginEvents } from './eventStream.ts';
import { createProxyTrust } from './proxyTrust.ts';
import { formOf } from './request/form.ts';
import type { Fail } from './registerRoute.ts';
import { registerRoute } from './registerRoute.ts';

const PROOF_MS = MINUTE;

export interface DoctorProbeOptions {
  readonly sealer: Pick<Sealer, 'isSigned'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly trustedProxies: readonly string[];
}

function sendEvents(reply: FastifyReply): FastifyReply {
  const raw = beginEvents(reply.hijack());
  raw.write('data: first\n\n');
  const last = setTimeout(() => raw.end('data: last\n\n'), EVENTS_APART_MS);
  raw.once('close', () => clearTimeout(last));
  return reply;
}

/** Registers the address. `refuse` answers as for an address that does not exist. */
export function registerDoctorProbe(
  app: FastifyInstance,
  { sealer, clock, trustedProxies }: DoctorProbeOptions,
  fail: Fail,
  refuse: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const isTrusted = createProxyTrust(trustedProxies);

  function hasProof({ headers }: FastifyRequest): boolean {
    const [, at = '', signature = ''] = /^(\d{1,15}):(\S+)$/.exec(String(headers[PROOF_HEADER] ?? '')) ?? [];
    return Math.abs(clock.now() - Number(at)) <= PROOF_MS && sealer.isSigned(proofText(Number(at)), signature);
  }

  function seen(request: FastifyRequest): SeenRequest {
    const { remoteAddress = '', remotePort = 0 } = request.socket;
    return {
      address: canonicalAddress(request.ip) ?? request.ip,
      host: request.host,
      protocol: request.protocol,
      peer: canonicalAddress(remoteAddress) ?? remoteAddress,
      peerPort: remotePort,
      isPeerTrusted: isTrusted(remoteAddress),
      forwardedFor: String(request.headers['x-forwarded-for'] ?? ''),
    };
  }

  const GET = (request: FastifyRequest, reply: FastifyReply) => {
    if (!hasProof(request)) {
      refuse(request, reply);
      return reply;
    }
    return formOf(request.query)['events'] !== undefined ? sendEvents(reply) : reply.send(seen(request));
  };
  registerRoute(app, { url: '/doctor', handlers: { GET }, fail });
}
