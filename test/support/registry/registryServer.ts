// A small image registry in this process, for what a real one does not do on request: refuse, lie, hang and send too much.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface RegistryReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface RegistryRequest {
  /** With its query. */
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Answers a request in place of the registry; `hang` never answers. */
type Answering = (request: RegistryRequest) => RegistryReply | 'hang' | undefined;

export function digestOfText(text: string): string {
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
  const manifests = new Map<string, string>();
  const requests: RegistryRequest[] = [];
  let answering: Answering | undefined;

  function stored(path: string): RegistryReply {
    const body = manifests.get(path.split('?')[0] ?? '');
    if (body === undefined) return { status: 404, body: '{"errors":[{"code":"MANIFEST_UNKNOWN"}]}' };
    return { status: 200, body, headers: { 'docker-content-digest': digestOfText(body) } };
  }

  function answer({ url = '', headers: { authorization } }: IncomingMessage, response: ServerResponse): void {
    const request = { path: url, authorization };
    requests.push(request);
    const reply = answering?.(request) ?? stored(url);
    if (reply === 'hang') return;
    response.writeHead(reply.status, { ...reply.headers });
    response.end(reply.body);
  }

  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
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
      for (const name of [digest, ...tags]) manifests.set(`/v2/${repository}/manifests/${name}`, text);
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
