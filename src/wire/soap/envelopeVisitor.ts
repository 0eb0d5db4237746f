// Parses the XML of a SOAP request and collects what the catalog needs from it: the operation, the folder name, a
// password, the headers that must be understood, and problems of the envelope. soapRequest.ts turns this into a
// request or a fault.
import type { SaxesTagNS } from 'saxes';
import { SaxesParser } from 'saxes';
import type { QName } from './envelope.ts';
import { ENVELOPES } from './envelope.ts';

const MAX_DEPTH = 64;
const SECURITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
/** The path of a WS-Security password below the envelope. */
const PASSWORD_PATH = ['Header', ...['Security', 'UsernameToken', 'Password'].map((name) => `{${SECURITY}}${name}`)];
const UNDERSTOOD_HEADERS = new Set([
  SECURITY,
  'http://www.w3.org/2005/08/addressing',
  'http://schemas.xmlsoap.org/ws/2004/08/addressing',
]);
/** Roles in which Steward has to process a header. */
const OWN_ROLES = new Set([
  'http://schemas.xmlsoap.org/soap/actor/next',
  'http://www.w3.org/2003/05/soap-envelope/role/next',
  'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver',
]);

/** Thrown to stop the parser; the rest of the document is not read. */
export class UnreadableXml extends Error {}

/** Only attributes in the namespace of the envelope count, and only on headers that are addressed to Steward. */
function isMandatory(tag: SaxesTagNS, envelope: string): boolean {
  let mustUnderstand = false;
  let isForUs = true;
  for (const { uri, local, value } of Object.values(tag.attributes)) {
    if (uri !== envelope) continue;
    if (local === 'mustUnderstand')
      mustUnderstand = value === '1' || (value === 'true' && envelope === ENVELOPES['1.2'].namespace);
    if (local === 'actor' || local === 'role') isForUs = value === '' || OWN_ROLES.has(value);
  }
  return mustUnderstand && isForUs;
}

/** The text of one element, with that of its children. */
interface TextCapture {
  readonly depth: number;
  readonly parts: string[];
  readonly finish: (text: string) => void;
}

export class EnvelopeVisitor {
  readonly problems: string[] = [];
  readonly notUnderstood: QName[] = [];
  /** The namespace of the root element. */
  envelope = '';
  isEnvelope = false;
  hasBody = false;
  operation: QName | undefined;
  folder: { readonly namespace: string; readonly text: string } | undefined;
  password: string | undefined;
  /** Children of the root by local name if they are in its namespace; all others as `{namespace}name`. */
  readonly #path: string[] = [];
  #capture: TextCapture | undefined;

  openTag(tag: SaxesTagNS): void {
    const { local, uri } = tag;
    if (this.#path.length >= MAX_DEPTH)
      throw new UnreadableXml(`The request nests deeper than ${MAX_DEPTH} elements, at ${local}.`);
    const depth = this.#path.push(uri === this.envelope && this.#path.length === 1 ? local : `{${uri}}${local}`);
    const section = this.#path[1];
    if (depth === 1) this.#openRoot(tag);
    else if (depth === 2) this.#openSection(tag);
    else if (depth === 3 && section === 'Header') this.#openHeader(tag);
    else if (depth === 3 && section === 'Body') this.operation ??= { namespace: uri, name: local };
    else if (depth === 4 && section === 'Body' && local === 'FolderName') this.#openFolderName(uri);
    else if (depth === 5 && this.#isPassword()) this.#captureText((text) => (this.password = text));
  }

  text(text: string): void {
    this.#capture?.parts.push(text);
  }

  closeTag(): void {
    if (this.#capture?.depth === this.#path.length) {
      this.#capture.finish(this.#capture.parts.join(''));
      this.#capture = undefined;
    }
    this.#path.pop();
  }

  #captureText(finish: (text: string) => void): void {
    this.#capture = { depth: this.#path.length, parts: [], finish };
  }

  #openRoot({ local, uri }: SaxesTagNS): void {
    this.isEnvelope = local === 'Envelope';
    if (!this.isEnvelope) this.problems.push(`The root element is ${local}; it must be a SOAP Envelope.`);
    this.envelope = uri;
  }

  #openSection({ local, uri }: SaxesTagNS): void {
    const isInEnvelope = uri === this.envelope;
    if (isInEnvelope && local === 'Body' && !this.hasBody) this.hasBody = true;
    else if (this.hasBody) this.problems.push(`The element ${local} is after the Body, where no element is allowed.`);
    else if (!isInEnvelope || local !== 'Header')
      this.problems.push(`The element ${local} is not allowed in an Envelope.`);
  }

  #openHeader(tag: SaxesTagNS): void {
    if (!UNDERSTOOD_HEADERS.has(tag.uri) && isMandatory(tag, this.envelope))
      this.notUnderstood.push({ namespace: tag.uri, name: tag.local });
  }

  #openFolderName(namespace: string): void {
    if (this.folder !== undefined) return;
    this.folder = { namespace, text: '' };
    this.#captureText((text) => (this.folder = { namespace, text }));
  }

  #isPassword(): boolean {
    return this.password === undefined && PASSWORD_PATH.every((name, n) => this.#path[n + 1] === name);
  }
}

/** Visits the elements of a request. Throws `UnreadableXml` for anything that SOAP does not allow in XML. */
export function visitEnvelope(xml: string): EnvelopeVisitor {
  const visitor = new EnvelopeVisitor();
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw new UnreadableXml(`The request is not well-formed XML: ${error.message.replace(/^undefined:/, '')}`);
  });
  parser.on('xmldecl', ({ version }) => {
    if (version !== undefined && version !== '1.0')
      throw new UnreadableXml(`The request is XML ${version}; only XML 1.0 is supported.`);
  });
  parser.on('doctype', () => {
    throw new UnreadableXml('The request has a document type declaration (DOCTYPE), which SOAP does not allow.');
  });
  parser.on('processinginstruction', ({ target }) => {
    throw new UnreadableXml(`The request has a processing instruction (${target}), which SOAP does not allow.`);
  });
  parser.on('opentag', (tag) => visitor.openTag(tag));
  parser.on('text', (text) => visitor.text(text));
  parser.on('cdata', (text) => visitor.text(text));
  parser.on('closetag', () => visitor.closeTag());
  parser.write(xml).close();
  return visitor;
}
