// The HTTP client of all tests. A transport carries its requests: over the network to a process, or straight into a server
// in this process.
import type { FastifyInstance } from 'fastify';

export type Fields = Readonly<Record<string, string>>;

/** A part of a multipart form. A part with a file name is a file. */
export interface Part {
  readonly name: string;
  readonly content: string | Buffer;
  readonly fileName?: string;
  readonly type?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of many shapes
  readonly body: any;
}

export interface Client {
  get(path: string, headers?: Fields): Promise<Answer>;
  /** Sends a form. */
  post(path: string, fields?: Fields, headers?: Fields): Promise<Answer>;
  /** Sends a multipart form. */
  postParts(path: string, parts: readonly Part[], headers?: Fields): Promise<Answer>;
  /** Sends a form and answers the body; throws unless the status is 200. */
  must(path: string, fields?: Fields): Promise<Answer['body']>;
}

interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Fields;
  readonly payload?: string | Buffer;
}

export type Transport = (request: Outgoing) => Promise<Pick<Answer, 'status' | 'headers' | 'text'>>;

/** Carries requests over the network. */
export function networkTransport(url: string): Transport {
  return async ({ method, path, headers, payload }) => {
    const body = payload === undefined ? {} : { body: payload };
    const response = await fetch(url + path, { method, headers, ...body });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

/** Hands requests to a server in this process. */
export function inProcessTransport(app: FastifyInstance): Transport {
  return async ({ method, path, headers, payload }) => {
    const body = payload === undefined ? {} : { payload };
    const response = await app.inject({ method, url: path, headers, ...body });
    const pairs = Object.entries(response.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
    );
    return { status: response.statusCode, headers: new Headers(pairs), text: response.body };
  };
}

const BOUNDARY = 'x';

export function multipart(parts: readonly Part[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, content, fileName, type }) => [
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
}

export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** With a token, every form carries it unless the caller gives another. */
export function createClient(send: Transport, token?: string): Client {
  const always: Fields = token === undefined ? {} : { token };

  async function ask(request: Outgoing): Promise<Answer> {
    const { status, headers, text } = await send(request);
    const isJson = headers.get('content-type')?.startsWith('application/json') === true && text !== '';
    return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
  const post: Client['post'] = (path, fields = {}, headers = {}) =>
    ask({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams({ ...always, ...fields }).toString(),
    });
  return {
    get: (path, headers = {}) => ask({ method: 'GET', path, headers }),
    post,
    postParts: (path, parts, headers = {}) =>
      ask({
        method: 'POST',
        path,
        headers: { 'content-type': MULTIPART_TYPE, ...headers },
        payload: multipart([...Object.entries(always).map(([name, content]) => ({ name, content })), ...parts]),
      }),
    async must(path, fields = {}) {
      const { status, body, text } = await post(path, fields);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
      return body;
    },
  };
}
