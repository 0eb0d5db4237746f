// An admission webhook of a namespace, which refuses every change of the objects that it was given.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseJson, valueAt } from '../../../src/foundation/schema/json.ts';
import { textAt } from '../../../src/drivers/kubernetes/api/objectFields.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import { makeCertificate } from '../server/certificates.ts';
import { kubectl, kubectlFile } from './kubectl.ts';

export interface AdmissionWebhook {
  /** Refuses an object, such as `ConfigMap/web`, until the returned function is called. */
  refuse(object: string): () => void;
  close(): Promise<void>;
}

function configurationOf(namespace: string, port: number, certificate: string): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'objects.contract.test',
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(certificate).toString('base64') },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'secrets'] }],
        namespaceSelector: { matchLabels: { contract: namespace } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}

export async function openAdmissionWebhook(namespace: string): Promise<AdmissionWebhook> {
  const refused = new Set<string>();
  const folder = temporaryFolder();
  const { cert, key } = makeCertificate(folder.path);
  const options = { cert: readFileSync(cert), key: readFileSync(key) };
  async function review(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = valueAt(parseJson(await text(request)), 'request');
    const allowed = !refused.has(`${textAt(asked, 'kind', 'kind')}/${textAt(asked, 'name')}`);
    const answer = { uid: textAt(asked, 'uid'), allowed, status: { message: 'the contract forbids it' } };
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
  }
  const server = createServer(options, (request, response) => void review(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await kubectl('label', 'namespace', namespace, `contract=${namespace}`);
  await kubectlFile(configurationOf(namespace, port, readFileSync(cert, 'utf8')), 'apply');
  return {
    refuse(object) {
      refused.add(object);
      return () => void refused.delete(object);
    },
    async close() {
      await kubectl('delete', 'validatingwebhookconfiguration', namespace, '--ignore-not-found');
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      folder.remove();
    },
  };
}
