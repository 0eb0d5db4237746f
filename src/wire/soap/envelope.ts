import { escapeAttribute, escapeXml } from './xml.ts';

export type SoapVersion = '1.1' | '1.2';

export interface QName {
  readonly namespace: string;
  readonly name: string;
}

export const ENVELOPES: Readonly<Record<SoapVersion, { readonly namespace: string; readonly contentType: string }>> = {
  '1.1': { namespace: 'http://schemas.xmlsoap.org/soap/envelope/', contentType: 'text/xml; charset=utf-8' },
  '1.2': { namespace: 'http://www.w3.org/2003/05/soap-envelope', contentType: 'application/soap+xml; charset=utf-8' },
};

export interface SoapFault {
  readonly code: 'Client' | 'Server' | 'VersionMismatch' | 'MustUnderstand';
  readonly reason: string;
  /** The mandatory headers that were not understood. */
  readonly notUnderstood?: readonly QName[];
}

const CODES_IN_12 = {
  Client: 'Sender',
  Server: 'Receiver',
  VersionMismatch: 'VersionMismatch',
  MustUnderstand: 'MustUnderstand',
} as const;

export function openEnvelope(version: SoapVersion, header = ''): string {
  const { namespace } = ENVELOPES[version];
  return `<?xml version="1.0" encoding="utf-8"?>\n<soap:Envelope xmlns:soap="${namespace}">${header}<soap:Body>`;
}

export const CLOSE_ENVELOPE = '</soap:Body></soap:Envelope>';

function headerIn12({ code, notUnderstood = [] }: SoapFault): string {
  const blocks =
    code === 'VersionMismatch'
      ? `<soap:Upgrade>${(['1.2', '1.1'] as const).map((version, n) => `<soap:SupportedEnvelope xmlns:v${n}="${ENVELOPES[version].namespace}" qname="v${n}:Envelope"/>`).join('')}</soap:Upgrade>`
      : notUnderstood
          .map(
            ({ namespace, name }) =>
              `<soap:NotUnderstood xmlns:h="${escapeAttribute(namespace)}" qname="h:${escapeAttribute(name)}"/>`,
          )
          .join('');
  return blocks === '' ? '' : `<soap:Header>${blocks}</soap:Header>`;
}

/**
 * Writes a fault. Clients differ in which faults they can show to a person; all of them show this form: in SOAP 1.1 without a
 * language and with an empty detail.
 */
export function faultEnvelope(version: SoapVersion, fault: SoapFault): string {
  const reason = escapeXml(fault.reason);
  if (version === '1.1') {
    return `${openEnvelope('1.1')}<soap:Fault><faultcode>soap:${fault.code}</faultcode><faultstring>${reason}</faultstring><detail/></soap:Fault>${CLOSE_ENVELOPE}`;
  }
  return `${openEnvelope('1.2', headerIn12(fault))}<soap:Fault><soap:Code><soap:Value>soap:${CODES_IN_12[fault.code]}</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">${reason}</soap:Text></soap:Reason></soap:Fault>${CLOSE_ENVELOPE}`;
}
