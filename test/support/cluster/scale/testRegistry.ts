import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RegistryImage {
  /** With its tag, as a manifest names it. */
  readonly tagged: string;
  readonly checksum: string;
}

export interface TestRegistry {
  /** Makes an image whose content differs for each name and tag. */
  add(name: string, tag: string): RegistryImage;
  close(): Promise<void>;
}

const TYPE = 'application/vnd.oci.image.manifest.v1+json';

function manifestOf(name: string, tag: string): string {
  const digest = `sha256:${createHash('sha256').update(`config of ${name} ${tag}`).digest('hex')}`;
  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest, size: 2 };
  return JSON.stringify({ schemaVersion: 2, mediaType: TYPE, config, layers: [] });
}

/** Serves the manifests of images over plain HTTP. They are not pulled: the test kubelet only reports that they run. */
export async function openTestRegistry(): Promise<TestRegistry> {
  const manifests = new Map<string, { readonly content: string; readonly checksum: string }>();
  const server = createServer(({ url = '' }, response) => {
    const found = manifests.get(url);
    if (found === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': TYPE, 'docker-content-digest': found.checksum }).end(found.content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    add(name, tag) {
      const content = manifestOf(name, tag);
      const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;
      for (const reference of [tag, checksum])
        manifests.set(`/v2/${name}/manifests/${reference}`, { content, checksum });
      return { tagged: `127.0.0.1:${port}/${name}:${tag}`, checksum };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
