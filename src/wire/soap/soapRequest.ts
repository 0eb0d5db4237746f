import type { SaxesTagNS } from 'saxes';
import { SaxesParser } from 'saxes';
import { createBoundedCache } from '../../foundation/boundedCache.ts';
import type { QName, SoapFault, SoapVersion } from './envelope.ts';
import { ENVELOPES } from './envelope.ts';

export interface SoapRequest {
  readonly version: SoapVersion;
  /** The first child of the Body: what is asked, whatever SOAPAction says. */
  readonly operation: QName;
  readonly folderName: { readonly namespace: string; readonly text: string } | undefined;
  /** The password of a WS-Security UsernameToken. */
  readonly password: string | undefined;
}

export type SoapReadResult =
  | { readonly request: SoapRequest }
  | { readonly version: SoapVersion; readonly fault: SoapFault };

const MAX_DEPTH = 64;
const SECURITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const UNDERSTOOD = new Set([
  SECURITY,
  'http://www.w3.org/2005/08/addressing',
  'http://schemas.xmlsoap.org/ws/2004/08/addressing',
]);
const NEXT = new Set([
  'http://schemas.xmlsoap.org/soap/actor/next',
  'http://www.w3.org/2003/05/soap-envelope/role/next',
  'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver',
]);

/** Thrown to end the parsing at once; nothing after it is looked at. */
class Refused extends Error {}

function versionOf(namespace: string): SoapVersion | undefined {
  return (['1.1', '1.2'] as const).find((version) => ENVELOPES[version].namespace === namespace);
}

/** Only an attribute of the envelope's own namespace counts, and only on a header that is meant for us. */
function isMandatory(tag: SaxesTagNS, envelope: string): boolean {
  let must = false;
  let forUs = true;
  for (const { uri, local, value } of Object.values(tag.attributes)) {
    if (uri !== envelope) continue;
    if (local === 'mustUnderstand')
      must = value === '1' || (value === 'true' && envelope === ENVELOPES['1.2'].namespace);
    if (local === 'actor' || local === 'role') forUs = value === '' || NEXT.has(value);
  }
  return must && forUs;
}

/** What has been seen on the way through the document. */
class Reading {
  readonly path: string[] = [];
  readonly problems: string[] = [];
  readonly notUnderstood: QName[] = [];
  envelope = '';
  isEnvelope = false;
  hasBody = false;
  operation: QName | undefined;
  folder: { namespace: string; text: string } | undefined;
  password: string | undefined;
  #text: string[] | undefined;

  open(tag: SaxesTagNS): void {
    const { local, uri } = tag;
    if (this.path.length >= MAX_DEPTH)
      throw new Refused(`The request nests deeper than ${MAX_DEPTH} elements, at ${local}.`);
    const depth = this.path.push(uri === this.envelope && this.path.length === 1 ? local : `{${uri}}${local}`);
    if (depth === 1) this.#root(tag);
    else if (depth === 2) this.#section(local, uri);
    else if (depth === 3 && this.path[1] === 'Header') this.#header(tag);
    else if (depth === 3 && this.path[1] === 'Body') this.operation ??= { namespace: uri, name: local };
    else if (this.#isFolderName(depth, local)) {
      this.folder = { namespace: uri, text: '' };
      this.#text = [];
    } else if (this.#isPassword(depth)) this.#text = [];
  }

  text(text: string): void {
    this.#text?.push(text);
  }

  close(): void {
    const depth = this.path.length;
    if (this.#text !== undefined && depth === (this.folder !== undefined && this.path[1] === 'Body' ? 4 : 5)) {
      if (this.path[1] === 'Body' && this.folder !== undefined) this.folder.text = this.#text.join('');
      else this.password = this.#text.join('');
      this.#text = undefined;
    }
    this.path.pop();
  }

  #root({ local, uri }: SaxesTagNS): void {
    this.isEnvelope = local === 'Envelope';
    if (!this.isEnvelope) this.problems.push(`The root element is ${local}; it must be a SOAP Envelope.`);
    this.envelope = uri;
    this.path[0] = local;
  }

  #section(local: string, uri: string): void {
    const isOurs = uri === this.envelope;
    if (isOurs && local === 'Body' && !this.hasBody) this.hasBody = true;
    else if (this.hasBody) this.problems.push(`The element ${local} stands after the Body.`);
    else if (!isOurs || local !== 'Header') this.problems.push(`The element ${local} is no part of an Envelope.`);
  }

  #header(tag: SaxesTagNS): void {
    if (!UNDERSTOOD.has(tag.uri) && isMandatory(tag, this.envelope))
      this.notUnderstood.push({ namespace: tag.uri, name: tag.local });
  }

  #isFolderName(depth: number, local: string): boolean {
    return depth === 4 && this.path[1] === 'Body' && local === 'FolderName' && this.folder === undefined;
  }

  #isPassword(depth: number): boolean {
    if (depth !== 5 || this.path[1] !== 'Header' || this.password !== undefined) return false;
    return (
      this.path[2] === `{${SECURITY}}Security` &&
      this.path[3] === `{${SECURITY}}UsernameToken` &&
      this.path[4] === `{${SECURITY}}Password`
    );
  }
}

function parse(xml: string): Reading {
  const reading = new Reading();
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw new Refused(`The request is not well-formed XML: ${error.message.replace(/^undefined:/, '')}`);
  });
  parser.on('xmldecl', ({ version }) => {
    if (version !== undefined && version !== '1.0')
      throw new Refused(`The request is XML ${version}; only XML 1.0 is read.`);
  });
  parser.on('doctype', () => {
    throw new Refused('The request has a document type declaration (DOCTYPE), which SOAP does not allow.');
  });
  parser.on('processinginstruction', ({ target }) => {
    throw new Refused(`The request has a processing instruction (${target}), which SOAP does not allow.`);
  });
  parser.on('opentag', (tag) => reading.open(tag));
  parser.on('text', (text) => reading.text(text));
  parser.on('cdata', (text) => reading.text(text));
  parser.on('closetag', () => reading.close());
  parser.write(xml).close();
  return reading;
}

/** In the order: well-formed, VersionMismatch, MustUnderstand, Client. `asSent` is the version that the media type suggests. */
function read(xml: string, asSent: SoapVersion): SoapReadResult {
  let reading: Reading;
  try {
    reading = parse(xml);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { version: asSent, fault: { code: 'Client', reason: error.message } };
  }
  const { envelope, operation, notUnderstood, problems, folder: folderName, password } = reading;
  const version = versionOf(envelope);
  if (version === undefined && reading.isEnvelope) {
    return {
      version: asSent,
      fault: {
        code: 'VersionMismatch',
        reason: `The Envelope is in the namespace ${envelope}; SOAP 1.1 and 1.2 are spoken.`,
      },
    };
  }
  const kind = version ?? asSent;
  const [first] = notUnderstood;
  if (first !== undefined) {
    return {
      version: kind,
      fault: { code: 'MustUnderstand', reason: `The mandatory header ${first.name} is not understood.`, notUnderstood },
    };
  }
  const client = (reason: string): SoapReadResult => ({ version: kind, fault: { code: 'Client', reason } });
  if (problems[0] !== undefined) return client(problems[0]);
  if (!reading.hasBody) return client('The Envelope has no Body.');
  if (operation === undefined) return client('The Body is empty; it must hold one of the operations.');
  return { request: { version: kind, operation, folderName, password } };
}

const REQUESTS_KEPT = 256;
const LONGEST_KEPT = 2048;

/** Reads requests, and keeps what short ones say: a client sends the same few again and again. Passwords are never kept. */
export function createSoapReader(): (xml: string, asSent: SoapVersion) => SoapReadResult {
  const caches = {
    '1.1': createBoundedCache<string, SoapReadResult>(REQUESTS_KEPT),
    '1.2': createBoundedCache<string, SoapReadResult>(REQUESTS_KEPT),
  };
  return (xml, asSent) => {
    const known = caches[asSent].get(xml);
    if (known !== undefined) return known;
    const result = read(xml, asSent);
    const isKept = xml.length <= LONGEST_KEPT && 'request' in result && result.request.password === undefined;
    return isKept ? caches[asSent].set(xml, result) : result;
  };
}
