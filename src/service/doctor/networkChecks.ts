import { X509Certificate } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { DAY } from '../../foundation/clock.ts';
import { counted } from '../../foundation/text/counted.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { mapInParallel } from '../../foundation/flow/mapInParallel.ts';
import { parseJson, valueAt } from '../../foundation/schema/json.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import type { ConfiguredFiles } from '../files/configuredFiles.ts';
import type { Settings } from '../settings/settings.ts';
import type { Diagnosis } from './diagnosis.ts';
import { fail, pass, skip, warn } from './diagnosis.ts';

const ANSWER_MS = 5000;
const RENEW_BEFORE_DAYS = 14;
const MOST_RECEIVERS = 100;

interface ProbeAnswer {
  readonly status: number;
  readonly body: string;
}

/** Asks the server on this machine. Its certificate is for its public name, so it is not checked here. */
function probe({ host, port, tlsCert }: Settings, path: string): Promise<ProbeAnswer> {
  const isTls = tlsCert !== undefined;
  const target = {
    host: host === '0.0.0.0' ? '127.0.0.1' : host.replace(/^::$/, '::1'),
    port,
    path,
    timeout: ANSWER_MS,
    rejectUnauthorized: false,
  };
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestHttps : requestHttp)(target, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    request.once('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)));
    request.once('error', reject);
    request.end();
  });
}

export interface ServerProbe {
  readonly finding: Diagnosis;
  readonly isRunning: boolean;
  readonly metrics: string | undefined;
}

export async function checkServer(settings: Settings): Promise<ServerProbe> {
  const place = `port ${settings.port} of ${settings.host}`;
  try {
    const { status, body } = await probe(settings, '/readyz');
    const reasons = valueAt(parseJson(body), 'reasons');
    if (status === 200 && valueAt(parseJson(body), 'status') === 'ready') {
      const metrics = (await probe(settings, '/metrics')).body;
      return { isRunning: true, metrics, finding: pass('server', `Steward runs on ${place} and is ready.`) };
    }
    if (!Array.isArray(reasons))
      return {
        isRunning: false,
        metrics: undefined,
        finding: fail('server', `Another program answers on ${place}.`, 'Stop it, or choose another port with --port.'),
      };
    return {
      isRunning: true,
      metrics: undefined,
      finding: fail('server', `Steward on ${place} is not ready: ${reasons.join('; ')}.`, 'The log has the details.'),
    };
  } catch (error) {
    const finding = warn(
      'server',
      `Steward does not run on ${place}: ${sentence(reasonOf(error))}`,
      'Start it with steward serve.',
    );
    return { isRunning: false, metrics: undefined, finding };
  }
}

const LOOPBACK = /^(127\.|::1$|localhost$)/;

export function checkTls({ tls }: ConfiguredFiles, { publicUrl, host: listens }: Settings, now: number): Diagnosis {
  if (tls === undefined && LOOPBACK.test(listens))
    return pass('tls', 'Steward speaks plain HTTP, and only this machine can reach it.');
  if (tls === undefined)
    return publicUrl?.startsWith('https:') === true
      ? pass('tls', `A proxy serves ${publicUrl}; Steward itself speaks plain HTTP.`)
      : warn(
          'tls',
          'Steward speaks plain HTTP.',
          'Set STEWARD_TLS_CERT and STEWARD_TLS_KEY, or put a proxy with TLS before it.',
        );
  const certificate = new X509Certificate(tls.cert);
  const days = Math.floor((Date.parse(certificate.validTo) - now) / DAY);
  const names = certificate.subjectAltName ?? certificate.subject;
  const about = `The certificate for ${names} is valid until ${new Date(certificate.validTo).toISOString()}`;
  if (days < 0) return fail('tls', `${about}: it has expired.`, 'Renew it.');
  if (Date.parse(certificate.validFrom) > now)
    return fail('tls', `${about}, but not before ${certificate.validFrom}.`, 'Check the clock, or the certificate.');
  const host = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  if (host !== undefined && certificate.checkHost(host) === undefined)
    return fail(
      'tls',
      `${about}, but not for ${host}, the host of STEWARD_PUBLIC_URL.`,
      'Use a certificate for that host.',
    );
  return days < RENEW_BEFORE_DAYS
    ? warn('tls', `${about}: ${counted(days, 'day')}.`, 'Renew it.')
    : pass('tls', `${about}: ${counted(days, 'day')}.`);
}

/** Opens a connection to the origin, and nothing more. */
function reach(origin: URL, ca: string | undefined): Promise<string | undefined> {
  const isTls = origin.protocol === 'https:';
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const port = Number(origin.port === '' ? (isTls ? 443 : 80) : origin.port);
  return new Promise((resolve) => {
    const socket = isTls
      ? connectTls({ host, port, servername: host, ...(ca !== undefined && { ca }) }, () => end(undefined))
      : connectTcp({ host, port }, () => end(undefined));
    const end = (reason: string | undefined): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(ANSWER_MS, () => end(`no answer within ${ANSWER_MS / 1000} s`));
    socket.once('error', (error) => end(reasonOf(error)));
  });
}

/** Tries to connect to the origins of active webhooks, from this machine. Paths may contain secrets and are not shown. */
export async function checkReceivers(
  urls: readonly string[] | undefined,
  { webhookCa }: ConfiguredFiles,
  refusal: string | undefined,
): Promise<Diagnosis> {
  if (urls === undefined)
    return refusal === undefined
      ? skip(
          'receivers',
          'The webhooks are not known here.',
          'Sign in with steward login, and run steward doctor again.',
        )
      : skip(
          'receivers',
          `The webhooks are not known here: the server that you are signed in at did not list them. ${refusal}`,
          'Start it, or correct the profile with steward login, and run steward doctor again.',
        );
  const origins = [...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin))].slice(
    0,
    MOST_RECEIVERS,
  );
  if (origins.length === 0) return pass('receivers', 'There is no active webhook.');
  const found = await mapInParallel(origins, async (origin) => ({
    origin,
    reason: await reach(new URL(origin), webhookCa),
  }));
  const unreachable = found.filter(({ reason }) => reason !== undefined);
  if (unreachable.length === 0)
    return pass('receivers', `All receivers can be reached from this machine (${origins.length}).`);
  return warn(
    'receivers',
    `${unreachable.length} of ${counted(origins.length, 'receiver')} cannot be reached from this machine: ${unreachable.map(({ origin, reason }) => `${origin} (${reason})`).join(', ')}.`,
    'Check the network, DNS and firewall between this machine and these hosts. steward webhooks ls shows how their deliveries go.',
  );
}
