import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Running } from './running.ts';
import { startServer } from './running.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const NAMESPACE = 'http://www.svc.example/schemas/Product/10.0';
const PEERS = {
  bytes: import.meta.resolve('./bytesPeer.js'),
  fastify: import.meta.resolve('./fastifyPeer.js'),
  soap: import.meta.resolve('./soapPeer.js'),
} as const;

/** A Steward with an administrator's token. */
export interface Client extends Running {
  readonly token: string;
  /** Where the catalog answers SOAP, with the token on the address. */
  readonly catalog: string;
}

export async function post(url: string, body: URLSearchParams | FormData): Promise<string> {
  const response = await fetch(url, { method: 'POST', body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 2000)}`);
  return text;
}

export async function startSteward(
  project: string,
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const running = await startServer(
    [join(project, 'dist', 'steward.js'), 'serve', '--port', '0', '--data', join(folder, 'data')],
    /Catalog +(\S+)\/services[^]*Stop with/,
    join(folder, 'steward.log'),
    {
      NO_COLOR: '1',
      STEWARD_ADMIN_PASSWORD: ADMIN.password,
      STEWARD_LOG_FORMAT: 'json',
      STEWARD_LOG_LEVEL: 'info',
      ...more,
    },
  );
  const answered = await post(`${running.url}/tokens/generateToken`, new URLSearchParams(ADMIN));
  const { token } = JSON.parse(answered) as { readonly token: string };
  return { ...running, token, catalog: `${running.url}/services?token=${encodeURIComponent(token)}` };
}

export function startPeer(folder: string, peer: keyof typeof PEERS, ...args: readonly string[]): Promise<Running> {
  return startServer([fileURLToPath(PEERS[peer]), ...args], /^(http:\S+)\n/, join(folder, `${peer}.log`));
}

export function envelopeOf(operation: string, content = ''): string {
  return `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><${operation} xmlns="${NAMESPACE}">${content}</${operation}></soap:Body></soap:Envelope>`;
}

/** The bytes of the answer, as they come over the wire without compression. */
export async function callSoap(url: string, envelope: string): Promise<Buffer> {
  const headers = { 'Content-Type': 'text/xml; charset=utf-8', 'Accept-Encoding': 'identity' };
  const response = await fetch(url, { method: 'POST', headers, body: envelope });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${bytes.toString()}`);
  return bytes;
}
