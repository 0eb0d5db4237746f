// Calls of the public SOAP interface from the browser. They carry no cookie, so the answer is that of any other client.
import { SERVER } from './server.ts';
import { ApiFailure, noAnswer } from './client.ts';

const PATH = `${SERVER.prefix}/services`;

export interface SoapAnswer {
  readonly status: number;
  readonly text: string;
  readonly durationMs: number;
}

export function soapAddress(): string {
  return `${globalThis.location.origin}${PATH}`;
}

/** Sends an envelope, with a token unless it is empty. */
export async function sendSoap(envelope: string, token: string): Promise<SoapAnswer> {
  const started = performance.now();
  const headers = {
    'content-type': 'text/xml; charset=utf-8',
    ...(token === '' ? undefined : { authorization: `Bearer ${token}` }),
  };
  const request = fetch(PATH, { method: 'POST', headers, body: envelope, credentials: 'omit' });
  const response = await request.catch(() => {
    throw noAnswer();
  });
  const text = await response.text();
  return { status: response.status, text, durationMs: performance.now() - started };
}

/** Reads the namespace of the catalog from its WSDL; it can be configured. */
export async function readNamespace(signal: AbortSignal): Promise<string> {
  const response = await fetch(`${PATH}?wsdl`, { credentials: 'omit', signal }).catch(() => {
    throw noAnswer();
  });
  const found = /targetNamespace="([^"]+)"/.exec(await response.text())?.[1];
  if (found === undefined) throw new ApiFailure(response.status, 'The WSDL of the catalog cannot be read.');
  return found;
}
