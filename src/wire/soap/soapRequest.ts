import { createBoundedCache } from '../../foundation/boundedCache.ts';
import type { QName, SoapFault, SoapVersion } from './envelope.ts';
import { ENVELOPES } from './envelope.ts';
import type { EnvelopeVisitor } from './envelopeVisitor.ts';
import { UnreadableXml, visitEnvelope } from './envelopeVisitor.ts';

export interface SoapRequest {
  readonly version: SoapVersion;
  /** The first child of the Body. The SOAPAction header is ignored. */
  readonly operation: QName;
  readonly folderName: { readonly namespace: string; readonly text: string } | undefined;
  /** The password of a WS-Security UsernameToken. */
  readonly password: string | undefined;
}

export type SoapReadResult =
  | { readonly kind: 'request'; readonly request: SoapRequest }
  | { readonly kind: 'fault'; readonly version: SoapVersion; readonly fault: SoapFault };

function versionOf(namespace: string): SoapVersion | undefined {
  return (['1.1', '1.2'] as const).find((version) => ENVELOPES[version].namespace === namespace);
}

/** Returns the fault of an envelope of the right version, if it has one. MustUnderstand comes before Client. */
function faultIn({ notUnderstood, problems, hasBody, operation }: EnvelopeVisitor): SoapFault | undefined {
  const [header] = notUnderstood;
  if (header !== undefined) {
    const reason = `The mandatory header ${header.name} is not understood.`;
    return { code: 'MustUnderstand', reason, notUnderstood };
  }
  if (problems[0] !== undefined) return { code: 'Client', reason: problems[0] };
  if (!hasBody) return { code: 'Client', reason: 'The Envelope has no Body.' };
  if (operation === undefined)
    return { code: 'Client', reason: 'The Body is empty; it must contain one of the operations.' };
  return undefined;
}

function readEnvelope(visited: EnvelopeVisitor, sentVersion: SoapVersion): SoapReadResult {
  const { envelope, operation, folder: folderName, password } = visited;
  const known = versionOf(envelope);
  if (known === undefined && visited.isEnvelope) {
    const reason = `The Envelope is in the namespace ${envelope}; supported are SOAP 1.1 and 1.2.`;
    return { kind: 'fault', version: sentVersion, fault: { code: 'VersionMismatch', reason } };
  }
  const version = known ?? sentVersion;
  const fault = faultIn(visited);
  if (fault !== undefined) return { kind: 'fault', version, fault };
  if (operation === undefined) throw new Error('an envelope without a fault has an operation');
  return { kind: 'request', request: { version, operation, folderName, password } };
}

/** Reads one request. `sentVersion` is the version that its media type suggests. */
function readSoap(xml: string, sentVersion: SoapVersion): SoapReadResult {
  try {
    return readEnvelope(visitEnvelope(xml), sentVersion);
  } catch (error) {
    if (!(error instanceof UnreadableXml)) throw error;
    return { kind: 'fault', version: sentVersion, fault: { code: 'Client', reason: error.message } };
  }
}

const MAX_CACHED_REQUESTS = 256;
const MAX_CACHED_LENGTH = 2048;

/** Reads requests and caches short ones: a client sends the same few texts repeatedly. Passwords are never cached. */
export function createSoapReader(): (xml: string, sentVersion: SoapVersion) => SoapReadResult {
  const caches = {
    '1.1': createBoundedCache<string, SoapReadResult>(MAX_CACHED_REQUESTS),
    '1.2': createBoundedCache<string, SoapReadResult>(MAX_CACHED_REQUESTS),
  };
  return (xml, sentVersion) => {
    const known = caches[sentVersion].get(xml);
    if (known !== undefined) return known;
    const result = readSoap(xml, sentVersion);
    const isCached =
      xml.length <= MAX_CACHED_LENGTH && result.kind === 'request' && result.request.password === undefined;
    return isCached ? caches[sentVersion].set(xml, result) : result;
  };
}
