import { SaxesParser } from 'saxes';

const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const DEEPEST = 64;

export interface SoapRequest {
  readonly operation: string;
  readonly namespace: string;
}

export type ReadEnvelope = { readonly request: SoapRequest } | { readonly fault: string };

/** Nesting is counted before the parser sees it: its cost grows with the square of the depth. */
function isTooDeep(xml: string): boolean {
  let depth = 0;
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at + 1)) {
    const next = xml[at + 1];
    if (next === '/') depth -= 1;
    else if (next !== '!' && next !== '?') {
      const end = xml.indexOf('>', at);
      if (end === -1 || xml[end - 1] !== '/') depth += 1;
      if (depth > DEEPEST) return true;
    }
  }
  return false;
}

/** Reads a SOAP 1.1 request as far as one needs to dispatch it: the first child of the Body. */
export function readEnvelope(xml: string): ReadEnvelope {
  if (isTooDeep(xml)) return { fault: `The request nests deeper than ${DEEPEST} elements.` };
  const parser = new SaxesParser({ xmlns: true });
  const open: string[] = [];
  let request: SoapRequest | undefined;
  let fault: string | undefined;
  const refuse = (reason: string): void => {
    fault ??= reason;
  };
  parser.on('error', (error) => refuse(`The request is not well-formed XML: ${error.message}.`));
  parser.on('doctype', () => refuse('The request has a document type declaration.'));
  parser.on('processinginstruction', () => refuse('The request has a processing instruction.'));
  parser.on('opentag', ({ local, uri }) => {
    if (open.length === 0 && (local !== 'Envelope' || uri !== SOAP_11))
      refuse(`The root element is ${local}; it must be a SOAP Envelope.`);
    if (open.length === 2 && open[1] === 'Body') request ??= { operation: local, namespace: uri };
    open.push(open.length === 1 && uri !== SOAP_11 ? `{${uri}}${local}` : local);
  });
  parser.on('closetag', () => open.pop());
  parser.write(xml).close();
  if (fault !== undefined) return { fault };
  return request === undefined ? { fault: 'The Body has no element.' } : { request };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** For the value of an attribute. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\r]/g, (character) => ESCAPES[character] ?? character);
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? character);
}

export function envelope(body: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n<soap:Envelope xmlns:soap="${SOAP_11}"><soap:Body>${body}</soap:Body></soap:Envelope>`;
}

export function faultEnvelope(code: 'Client' | 'Server', reason: string): string {
  return envelope(
    `<soap:Fault><faultcode>soap:${code}</faultcode><faultstring>${escapeXml(reason)}</faultstring><detail/></soap:Fault>`,
  );
}
