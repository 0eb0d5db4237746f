// Checks through the public address, where a proxy may be in between: that it leads to this Steward, that the proxy sends the headers that
// docs/proxies.md asks for, that it lets uploads pass, and that it does not hold events back.
import { canonicalAddress } from '../../access/address.ts';
import { systemClock } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { isObject, parseJson, valueAt } from '../../foundation/schema/json.ts';
import { createSealer } from '../../foundation/sealer.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import { LIMITS } from '../../http/server/limits.ts';
import type { SeenRequest } from '../../wire/answers/doctorAnswer.ts';
import { EVENTS_APART_MS, PROOF_HEADER, proofText } from '../../wire/answers/doctorAnswer.ts';
import type { Settings } from '../settings/settings.ts';
import type { Diagnosis } from './diagnosis.ts';
import { fail, pass, skip, warn } from './diagnosis.ts';
import type { PublicAnswer } from './publicRequest.ts';
import { announceBody, ask, timeBody } from './publicRequest.ts';

const NAME = 'public address';
const HEADERS = 'proxy headers';
const BODY = 'proxy uploads';
const EVENTS = 'proxy events';
const HELP = 'Configure the proxy as in docs/proxies.md.';
/** An address that no client has (RFC 5737). */
const FORGED = '192.0.2.66';

/** A certificate that only this machine does not trust. */
const UNTRUSTED = /SELF_SIGNED|self-signed|UNABLE_TO_VERIFY|unable to verify|unable to get/i;

function unreachable(publicUrl: string, error: unknown): Diagnosis {
  const reason = reasonOf(error);
  return UNTRUSTED.test(reason)
    ? warn(
        NAME,
        `${publicUrl} was not checked: this machine does not trust its certificate (${reason}).`,
        'Set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority, and run steward doctor again.',
      )
    : warn(
        NAME,
        `${publicUrl} cannot be reached from this machine: ${sentence(reason)}`,
        'If clients cannot reach it either, check STEWARD_PUBLIC_URL, DNS, the firewall and the proxy.',
      );
}

function isSeen(value: unknown): value is SeenRequest {
  return isObject(value) && typeof value['peer'] === 'string' && typeof value['forwardedFor'] === 'string';
}

function isDirect({ peer, peerPort }: SeenRequest, { from }: PublicAnswer): boolean {
  return peer === canonicalAddress(from.address) && peerPort === from.port;
}

/** What Steward has seen of a request with forged headers. */
export function checkHeaders(seen: SeenRequest, publicUrl: string): Diagnosis {
  const { address, host, protocol, peer, isPeerTrusted, forwardedFor } = seen;
  const wanted = new URL(publicUrl);
  if (!isPeerTrusted)
    return fail(
      HEADERS,
      `Steward does not trust the proxy at ${peer}, so that all clients have its address.`,
      `Add ${peer} to STEWARD_TRUSTED_PROXIES.`,
    );
  if (address === FORGED)
    return forwardedFor.trim() === FORGED
      ? fail(HEADERS, 'A client can forge its address: the proxy passes its X-Forwarded-For on.', HELP)
      : warn(
          HEADERS,
          'A client in a trusted network can forge its address: the proxy appends to its X-Forwarded-For.',
          `${HELP} It must replace the header.`,
        );
  if (forwardedFor === '')
    return fail(HEADERS, 'The proxy sends no X-Forwarded-For, so that all clients have its address.', HELP);
  if (`${protocol}:` !== wanted.protocol)
    return fail(
      HEADERS,
      `The proxy does not set X-Forwarded-Proto: it is ${protocol}, and clients use ${wanted.protocol.slice(0, -1)}.`,
      HELP,
    );
  if (new URL(`http://${host}`).hostname !== wanted.hostname)
    return warn(
      HEADERS,
      `The proxy does not set X-Forwarded-Host: it is ${host}, and clients use ${wanted.host}.`,
      HELP,
    );
  return pass(HEADERS, `The proxy at ${peer} replaces the headers of the client with its own.`);
}

async function checkBody({ publicUrl = '', root }: Settings): Promise<Diagnosis> {
  const size = `${LIMITS.upload / 1024 / 1024} MiB`;
  try {
    const answer = await announceBody(`${publicUrl}${root}/uploads/upload?f=json`, LIMITS.upload);
    if (answer !== 'welcome' && valueAt(parseJson(answer.body), 'error') === undefined)
      return fail(BODY, `The proxy refuses a body of ${size}: it answers ${answer.status}.`, HELP);
    return pass(BODY, `A body of ${size} is not refused because of its length.`);
  } catch (error) {
    return skip(BODY, `Unknown: the question was not answered (${reasonOf(error)}).`);
  }
}

async function checkEvents(publicUrl: string, proof: Readonly<Record<string, string>>): Promise<Diagnosis> {
  try {
    const headers = { ...proof, accept: 'text/event-stream', 'accept-encoding': 'gzip, deflate, br, zstd' };
    const { status, headers: received, tookMs } = await timeBody(`${publicUrl}/doctor?events`, headers);
    const { 'content-encoding': encoding = 'identity' } = received;
    if (status !== 200) return skip(EVENTS, `Unknown: the question was answered with ${status}.`);
    if (encoding !== 'identity')
      return fail(EVENTS, `The proxy compresses events (${encoding}), and may hold them back.`, HELP);
    return tookMs > EVENTS_APART_MS / 4
      ? pass(EVENTS, 'Events arrive one by one.')
      : fail(EVENTS, 'The proxy holds events back: the page of a running upgrade stays empty until its end.', HELP);
  } catch (error) {
    return skip(EVENTS, `Unknown: the question was not answered (${reasonOf(error)}).`);
  }
}

function strangerAt(publicUrl: string, { status, body }: PublicAnswer): Diagnosis {
  return valueAt(parseJson(body), 'error', 'code') === 404
    ? fail(
        NAME,
        `${publicUrl} leads to a Steward that does not have the master key of this one.`,
        'Check STEWARD_PUBLIC_URL and where the proxy sends requests. If the key was changed, restart Steward.',
      )
    : fail(
        NAME,
        `${publicUrl} does not lead to Steward: the answer is ${status}.`,
        'Check STEWARD_PUBLIC_URL and where the proxy sends requests.',
      );
}

/** Checks the public address from outside. Nothing is checked if there is none. */
export async function checkPublicAddress(
  settings: Settings,
  masterKeys: readonly Buffer[] | undefined,
  isRunning: boolean,
): Promise<readonly Diagnosis[]> {
  const { publicUrl } = settings;
  if (publicUrl === undefined) return [];
  if (!isRunning) return [skip(NAME, `${publicUrl} was not checked, because Steward does not run here.`)];
  if (masterKeys === undefined)
    return [skip(NAME, `${publicUrl} was not checked, because the master key cannot be read here.`)];
  const now = systemClock.now();
  const proof = { [PROOF_HEADER]: `${now}:${createSealer(masterKeys).sign(proofText(now))}` };
  const forged = {
    ...proof,
    'x-forwarded-for': FORGED,
    'x-forwarded-host': 'forged.invalid',
    'x-forwarded-proto': publicUrl.startsWith('https:') ? 'http' : 'https',
  };
  try {
    const answer = await ask(`${publicUrl}/doctor`, forged);
    const seen = parseJson(answer.body);
    if (answer.status !== 200 || !isSeen(seen)) return [strangerAt(publicUrl, answer)];
    const leads = `${publicUrl} leads to this Steward`;
    if (isDirect(seen, answer)) return [pass(NAME, `${leads}, without a proxy.`)];
    return [
      pass(NAME, `${leads}, through a proxy.`),
      checkHeaders(seen, publicUrl),
      await checkBody(settings),
      await checkEvents(publicUrl, proof),
    ];
  } catch (error) {
    return [unreachable(publicUrl, error)];
  }
}
