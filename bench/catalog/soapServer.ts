import { createServer } from 'node:http';
import { listen } from 'soap';
import { childServer, listenOnFreePort } from '../harness/processes/childServer.ts';

type Description = Readonly<Record<string, string>>;

/** Starts the server of npm `soap` with Steward's WSDL. It answers these service descriptions. */
export const startSoapServer = childServer(import.meta.filename, async (xml: string, all: readonly Description[]) => {
  const server = createServer();
  const answer = { ServiceDescriptions: { ServiceDescription: all } };
  const services = { Catalog: { ServiceCatalogPort: { GetServiceDescriptions: (): object => answer } } };
  await new Promise<void>((callback) => {
    listen(server, { path: '/services', xml, services, callback: () => callback() });
  });
  return listenOnFreePort(server);
});
