const NAMESPACE = 'http://www.svc.example/schemas/Product/10.0';

export const SOAP_HEADERS = { 'Content-Type': 'text/xml; charset=utf-8' } as const;

export function envelopeOf(operation: string, content = ''): string {
  return `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><${operation} xmlns="${NAMESPACE}">${content}</${operation}></soap:Body></soap:Envelope>`;
}

/** Posts an envelope and returns the uncompressed bytes of the answer. */
export async function callSoap(url: string, envelope: string): Promise<Buffer> {
  const headers = { ...SOAP_HEADERS, 'Accept-Encoding': 'identity' };
  const response = await fetch(url, { method: 'POST', headers, body: envelope });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${bytes.toString()}`);
  return bytes;
}
