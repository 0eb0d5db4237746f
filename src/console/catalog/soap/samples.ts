// The same SOAP call in three languages, ready to run. A token is read from the environment, so that it is not copied with them.
import type { SoapCall } from './soapCall.ts';
import { envelopeOf, hasFolder } from './soapCall.ts';

export interface Sample {
  readonly name: string;
  readonly text: string;
}

function curl(call: SoapCall): string {
  const shellAddress = `'${call.address.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl -s ${shellAddress} \\`,
    `  -H 'Content-Type: text/xml; charset=utf-8' \\`,
    ...(call.hasToken ? ['  -H "Authorization: Bearer $TOKEN" \\'] : []),
    `  --data-binary @- <<'XML'`,
    envelopeOf(call),
    'XML',
  ].join('\n');
}

function python(call: SoapCall): string {
  const folder = hasFolder(call) ? `FolderName=${JSON.stringify(call.folderName)}` : '';
  return [
    '# pip install zeep',
    ...(call.hasToken ? ['import os'] : []),
    'from zeep import Client',
    '',
    `client = Client(${JSON.stringify(`${call.address}?wsdl`)})`,
    ...(call.hasToken ? [`client.transport.session.headers["Authorization"] = "Bearer " + os.environ["TOKEN"]`] : []),
    `print(client.service.${call.operation}(${folder}))`,
  ].join('\n');
}

function phpText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

function php(call: SoapCall): string {
  const folder = hasFolder(call) ? `['FolderName' => ${phpText(call.folderName)}]` : '';
  const wsdl = phpText(`${call.address}?wsdl`);
  return [
    '<?php',
    ...(call.hasToken
      ? [
          `$http = ['header' => 'Authorization: Bearer ' . getenv('TOKEN')];`,
          `$client = new SoapClient(${wsdl}, ['stream_context' => stream_context_create(['http' => $http])]);`,
        ]
      : [`$client = new SoapClient(${wsdl});`]),
    `print_r($client->${call.operation}(${folder}));`,
  ].join('\n');
}

export function samplesOf(call: SoapCall): readonly Sample[] {
  return [
    { name: 'curl', text: curl(call) },
    { name: 'Python', text: python(call) },
    { name: 'PHP', text: php(call) },
  ];
}
