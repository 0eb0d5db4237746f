// Requests of `steward doctor` to the public address, as a client sends them that wants to be someone else.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';

const ANSWER_MS = 10_000;

export interface PublicAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** From where this machine has connected. */
  readonly from: { readonly address: string; readonly port: number };
}

function start(url: string, options: RequestOptions) {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const request = send(url, { ...options, agent: false, timeout: ANSWER_MS });
  request.once('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)));
  return request;
}

/** Sends a GET. */
export function ask(url: string, headers: Readonly<Record<string, string>>): Promise<PublicAnswer> {
  return new Promise((resolve, reject) => {
    const request = start(url, { headers });
    request.once('error', reject);
    request.once('response', (response) => {
      const { localAddress = '', localPort = 0 } = response.socket;
      const { statusCode: status = 0, headers: received } = response;
      const from = { address: localAddress, port: localPort };
      text(response).then((body) => resolve({ status, headers: received, body, from }), reject);
    });
    request.end();
  });
}

export interface TimedAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The time between the first bytes of the body and its end. */
  readonly tookMs: number;
}

/** Sends a GET, and measures how long its body takes to arrive. */
export function timeBody(url: string, headers: Readonly<Record<string, string>>): Promise<TimedAnswer> {
  return new Promise((resolve, reject) => {
    const request = start(url, { headers });
    request.once('error', reject);
    request.once('response', (response) => {
      const { statusCode: status = 0, headers: received } = response;
      let first: number | undefined;
      response.on('data', () => (first ??= performance.now()));
      response.once('end', () => {
        const now = performance.now();
        resolve({ status, headers: received, tookMs: now - (first ?? now) });
      });
      response.once('error', reject);
    });
    request.end();
  });
}

/** Announces a body by its length, and waits whether it is refused. The body is not sent. */
export function announceBody(url: string, bytes: number): Promise<PublicAnswer | 'welcome'> {
  return new Promise((resolve, reject) => {
    const request = start(url, {
      method: 'POST',
      headers: {
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': bytes,
        expect: '100-continue',
      },
    });
    request.once('error', reject);
    request.once('continue', () => {
      resolve('welcome');
      request.destroy();
    });
    request.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      const from = { address: '', port: 0 };
      text(response).then((body) => resolve({ status, headers, body, from }), reject);
    });
    request.flushHeaders();
  });
}
