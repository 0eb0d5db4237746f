// The server of npm `soap` with our WSDL, answering descriptions of services from a JSON file.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from 'soap';

const [wsdl = '', descriptions = ''] = process.argv.slice(2);
const answer: unknown = { ServiceDescriptions: { ServiceDescription: JSON.parse(readFileSync(descriptions, 'utf8')) } };

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  listen(server, {
    path: '/services',
    xml: readFileSync(wsdl, 'utf8'),
    services: { Catalog: { ServiceCatalogPort: { GetServiceDescriptions: () => answer } } },
    callback: () => {
      const address = server.address();
      if (typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address?.port}\n`);
    },
  });
});
