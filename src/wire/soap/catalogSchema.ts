// The operations and types of the catalog's SOAP interface, and the XSD and WSDL documents that describe them.
import { escapeAttribute } from './xml.ts';

export const MESSAGE_VERSIONS = [
  'svcProductVersion83',
  'svcProductVersion90',
  'svcProductVersion92',
  'svcProductVersion93',
  'svcProductVersion10',
] as const;

export const MESSAGE_FORMATS = [
  'svcServiceCatalogMessageFormatSoap',
  'svcServiceCatalogMessageFormatBin',
  'svcServiceCatalogMessageFormatSoapOrBin',
] as const;

/** The fields of a ServiceDescription, in the order of the schema. */
const DESCRIPTION_FIELDS = ['Name', 'Type', 'Url', 'ParentType', 'Capabilities', 'Description'] as const;

type Field = readonly [name: string, type: string];

/** The seven operations, with the fields of their requests and answers. */
export const CATALOG_OPERATIONS = {
  GetMessageVersion: { takes: [], answers: ['MessageVersion', 'tns:svcProductVersion'] },
  GetMessageFormats: { takes: [], answers: ['MessageFormats', 'tns:svcServiceCatalogMessageFormat'] },
  GetTokenServiceURL: { takes: [], answers: ['TokenServiceURL', 'xs:string'] },
  GetFolders: { takes: [], answers: ['FolderNames', 'tns:ArrayOfString'] },
  GetServiceDescriptions: { takes: [], answers: ['ServiceDescriptions', 'tns:ArrayOfServiceDescription'] },
  RequiresTokens: { takes: [], answers: ['Result', 'xs:boolean'] },
  GetServiceDescriptionsEx: {
    takes: [['FolderName', 'xs:string']],
    answers: ['ServiceDescriptions', 'tns:ArrayOfServiceDescription'],
  },
} as const satisfies Readonly<Record<string, { readonly takes: readonly Field[]; readonly answers: Field }>>;

export type CatalogOperation = keyof typeof CATALOG_OPERATIONS;

export function isCatalogOperation(name: string): name is CatalogOperation {
  return Object.hasOwn(CATALOG_OPERATIONS, name);
}

/** In `clean` every element is in the namespace; `compat` serves clients that were generated from older descriptions. */
export type SoapDialect = 'clean' | 'compat';

function element([name, type]: Field, more = ''): string {
  return `<xs:element name="${name}" type="${type}"${more}/>`;
}

function wrapper(name: string, fields: readonly Field[]): string {
  const content =
    fields.length === 0
      ? '<xs:sequence/>'
      : `<xs:sequence>${fields.map((field) => element(field)).join('')}</xs:sequence>`;
  return `<xs:element name="${name}"><xs:complexType>${content}</xs:complexType></xs:element>`;
}

function enumeration(name: string, values: readonly string[]): string {
  const facets = values.map((value) => `<xs:enumeration value="${value}"/>`).join('');
  return `<xs:simpleType name="${name}"><xs:restriction base="xs:string">${facets}</xs:restriction></xs:simpleType>`;
}

function sequenceType(name: string, content: string): string {
  return `<xs:complexType name="${name}"><xs:sequence>${content}</xs:sequence></xs:complexType>`;
}

function schema(namespace: string, dialect: SoapDialect): string {
  const tns = escapeAttribute(namespace);
  const many = ' minOccurs="0" maxOccurs="unbounded"';
  const parts = [
    ...Object.entries(CATALOG_OPERATIONS).flatMap(([name, { takes, answers }]) => [
      wrapper(name, takes),
      wrapper(`${name}Response`, [answers]),
    ]),
    sequenceType('ServiceDescription', DESCRIPTION_FIELDS.map((field) => element([field, 'xs:string'])).join('')),
    sequenceType('ArrayOfServiceDescription', element(['ServiceDescription', 'tns:ServiceDescription'], many)),
    sequenceType('ArrayOfString', element(['String', 'xs:string'], many)),
    enumeration('svcServiceCatalogMessageFormat', MESSAGE_FORMATS),
    enumeration('svcProductVersion', MESSAGE_VERSIONS),
  ];
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:tns="${tns}" targetNamespace="${tns}" elementFormDefault="${dialect === 'clean' ? 'qualified' : 'unqualified'}">${parts.join('')}</xs:schema>`;
}

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';

export function catalogXsd(namespace: string, dialect: SoapDialect): string {
  return DECLARATION + schema(namespace, dialect);
}

function message(name: string, suffix: string, of: string): string {
  return `<wsdl:message name="${name}${suffix}"><wsdl:part name="parameters" element="tns:${of}"/></wsdl:message>`;
}

/** Writes a WSDL with one SOAP 1.1 port and the schema inside, which all known generators can read. */
export function catalogWsdl(namespace: string, dialect: SoapDialect, address: string): string {
  const names = Object.keys(CATALOG_OPERATIONS);
  const tns = escapeAttribute(namespace);
  const each = (part: (name: string) => string): string => names.map(part).join('');
  return `${DECLARATION}<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:tns="${tns}" name="Catalog" targetNamespace="${tns}">
<wsdl:types>${schema(namespace, dialect)}</wsdl:types>
${each((name) => message(name, 'In', name) + message(name, 'Out', `${name}Response`))}
<wsdl:portType name="ServiceCatalogPort">${each((name) => `<wsdl:operation name="${name}"><wsdl:input message="tns:${name}In"/><wsdl:output message="tns:${name}Out"/></wsdl:operation>`)}</wsdl:portType>
<wsdl:binding name="ServiceCatalogBinding" type="tns:ServiceCatalogPort"><soap:binding transport="http://schemas.xmlsoap.org/soap/http" style="document"/>${each(
    (name) =>
      `<wsdl:operation name="${name}"><soap:operation soapAction="" style="document"/><wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>`,
  )}</wsdl:binding>
<wsdl:service name="Catalog"><wsdl:port name="ServiceCatalogPort" binding="tns:ServiceCatalogBinding"><soap:address location="${escapeAttribute(address)}"/></wsdl:port></wsdl:service>
</wsdl:definitions>
`;
}
