import { expect, test } from 'vitest';
import { samplesOf } from './samples.ts';
import { formatXml } from './soapAnswer.ts';
import type { SoapCall } from './soapCall.ts';
import { envelopeOf } from './soapCall.ts';

const call: SoapCall = {
  operation: 'GetServiceDescriptionsEx',
  folderName: "R&D's",
  namespace: 'http://a.example/10',
  address: 'http://s.example/services',
  hasToken: false,
};

test('the envelope escapes the name of the folder', () => {
  expect(envelopeOf(call)).toContain("<FolderName>R&amp;D's</FolderName>");
});

test('an operation without fields is an empty element', () => {
  expect(envelopeOf({ ...call, operation: 'GetFolders' })).toContain('<GetFolders xmlns="http://a.example/10"/>');
});

test('each sample quotes the name of the folder for its language', () => {
  const [curl, python, php] = samplesOf(call).map(({ text }) => text);
  expect(curl).toContain("curl -s 'http://s.example/services'");
  expect(python).toContain(`GetServiceDescriptionsEx(FolderName="R&D's")`);
  expect(php).toContain(String.raw`['FolderName' => 'R&D\'s']`);
});

test('each sample reads the token from the environment, if there is one', () => {
  for (const { text } of samplesOf(call)) expect(text).not.toContain('Bearer');
  for (const { text } of samplesOf({ ...call, hasToken: true })) expect(text).toMatch(/Bearer.*TOKEN/);
});

test('an answer is indented, and an element with text stays on one line', () => {
  const xml = '<?xml version="1.0"?>\n<a><b>text</b><c/><d></d><e><f>1</f></e></a>';
  const lines = ['<?xml version="1.0"?>', '<a>', '  <b>text</b>', '  <c/>', '  <d></d>', '  <e>', '    <f>1</f>'];
  expect(formatXml(xml)).toBe([...lines, '  </e>', '</a>'].join('\n'));
});

test('an answer that is not XML stays as it is', () => {
  expect(formatXml('Too many requests')).toBe('Too many requests');
});
