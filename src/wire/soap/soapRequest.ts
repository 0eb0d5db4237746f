import { createBoundedCache } from '../../foundation/cache/boundedCache.ts';
import type { QName, SoapFault, SoapVersion } from './envelope.ts';
import { ENVELOPES } from './envelope.ts';
import type { EnvelopeVisitor } from './envelopeVisitor.ts';
import { UnreadableXml, visitEnvelope } from './envelopeVisitor.ts';
import { decodeXml } from './xmlText.ts';

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

/** Reads one request. The media type tells the version of a fault where the envelope does not. */
function readSoap(bytes: Buffer, contentType: string): SoapReadResult {
  const sentVersion = /^application\/soap\+xml/i.test(contentType) ? '1.2' : '1.1';
  const unreadable = (reason: string): SoapReadResult => ({
    kind: 'fault',
    version: sentVersion,
    fault: { code: 'Client', reason },
  });
  const decoded = decodeXml(bytes, contentType);
  if (decoded.kind === 'unreadable') return unreadable(decoded.problem);
  try {
    return readEnvelope(visitEnvelope(decoded.text), sentVersion);
  } catch (error) {
    if (error instanceof UnreadableXml) return unreadable(error.message);
    throw error;
  }
}

const MAX_CACHED_REQUESTS = 512;
const MAX_CACHED_LENGTH = 2048;

/** Reads requests and caches short ones: a client sends the same few bytes repeatedly. Passwords are never cached. */
export function createSoapReader(): (bytes: Buffer, contentType: string | undefined) => SoapReadResult {
  const cache = createBoundedCache<string, SoapReadResult>(MAX_CACHED_REQUESTS);
  return (bytes, contentType = '') => {
    if (contentType.length + bytes.length > MAX_CACHED_LENGTH) return readSoap(bytes, contentType);
    const key = `${contentType}\n${bytes.toString('latin1')}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const result = readSoap(bytes, contentType);
    return result.kind === 'request' && result.request.password === undefined ? cache.set(key, result) : result;
  };
}
