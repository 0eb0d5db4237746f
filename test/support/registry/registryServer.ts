// A small image registry in this process, for what a real one does not do on request: refuse, lie, hang and send too much.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RegistryReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface RegistryRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Answers a request in place of the registry; `hang` never answers. */
type Answering = (request: RegistryRequest) => RegistryReply | 'hang' | undefined;

export function digestOfText(text: string | Buffer): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

const IMAGE_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';

/** An image with its configuration, as a registry stores it. */
export function imageManifest(configuration: string): object {
  return { schemaVersion: 2, mediaType: IMAGE_TYPE, config: { digest: digestOfText(configuration) }, layers: [] };
}

export function indexManifest(...children: readonly string[]): object {
  return { schemaVersion: 2, mediaType: INDEX_TYPE, manifests: children.map((digest) => ({ digest })) };
}

/** Starts a registry on a free port of loopback. */
export async function startRegistry(tls?: { readonly key: string; readonly cert: string }) {
  /** Manifests and blobs, by their addresses. */
  const contents = new Map<string, string | Buffer>();
  const requests: RegistryRequest[] = [];
  let answering: Answering | undefined;

  function stored(path: string): RegistryReply {
    const body = contents.get(path.split('?')[0] ?? '');
    if (body === undefined) return { status: 404, body: '{"errors":[{"code":"MANIFEST_UNKNOWN"}]}' };
    return { status: 200, body, headers: { 'docker-content-digest': digestOfText(body) } };
  }

  /** Takes what a client pushes, as a registry does: blobs by uploads, manifests by tag or digest. */
  function taken({ method, path }: RegistryRequest, body: Buffer): RegistryReply {
    const { pathname, searchParams } = new URL(path, 'http://registry');
    if (method === 'POST') return { status: 202, headers: { location: `${pathname}1?state=x` } };
    const digest = searchParams.get('digest') ?? digestOfText(body);
    if (digest !== digestOfText(body)) return { status: 400, body: '{"errors":[{"message":"digest invalid"}]}' };
    const folder = pathname.replace(/\/blobs\/uploads\/.*|\/manifests\/.*/, '');
    if (pathname.includes('/blobs/')) contents.set(`${folder}/blobs/${digest}`, body);
    else for (const name of [pathname, `${folder}/manifests/${digest}`]) contents.set(name, body);
    return { status: 201 };
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method = 'GET', headers } = incoming;
    const request = { method, path: url, authorization: headers.authorization };
    const body = await buffer(incoming);
    requests.push(request);
    const isRead = method === 'GET' || method === 'HEAD';
    const reply = answering?.(request) ?? (isRead ? stored(url) : taken(request, body));
    if (reply === 'hang') return;
    response.writeHead(reply.status, { ...reply.headers });
    response.end(method === 'HEAD' ? undefined : reply.body);
  }

  function listen(request: IncomingMessage, response: ServerResponse): void {
    void answer(request, response);
  }

  const server = tls === undefined ? createServer(listen) : createTlsServer(tls, listen);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `127.0.0.1:${port}`,
    requests,
    /** Stores a manifest under its digest and these tags, and answers the digest. */
    put(repository: string, manifest: object, ...tags: readonly string[]): string {
      const text = JSON.stringify(manifest);
      const digest = digestOfText(text);
      for (const name of [digest, ...tags]) contents.set(`/v2/${repository}/manifests/${name}`, text);
      return digest;
    },
    /** Stores a blob, and answers its digest. */
    putBlob(repository: string, content: Buffer): string {
      const digest = digestOfText(content);
      contents.set(`/v2/${repository}/blobs/${digest}`, content);
      return digest;
    },
    answerWith(next: Answering): void {
      answering = next;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

export type RegistryServer = Awaited<ReturnType<typeof startRegistry>>;
