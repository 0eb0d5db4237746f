import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TemporaryFolder } from '../../../../test/support/run/runFolder.ts';
import { temporaryFolder } from '../../../../test/support/run/runFolder.ts';
import { findObjects } from './objectFiles.ts';

let folder: TemporaryFolder;
let chart = '';
beforeEach(() => {
  folder = temporaryFolder();
  chart = join(folder.path, 'chart.yaml');
});
afterEach(() => folder.remove());

async function objectsIn(text: string): Promise<readonly unknown[]> {
  writeFileSync(chart, text);
  const { objects, problems } = await findObjects(chart);
  return [...objects.map(({ content }) => content), ...problems];
}

const SETTINGS = 'kind: ConfigMap\nmetadata: {name: settings}\n';

describe('[OBJ1] the files of a chart', () => {
  test('have numbers and booleans as kubectl and Helm read them, and keep keys and quoted texts', async () => {
    const text = `kind: Deployment
spec:
  hostNetwork: yes
  volumes: [{secret: {defaultMode: 0400}}, {configMap: {defaultMode: 0644}}]
data: {on: "0400", 0400: "yes"}
`;
    expect(await objectsIn(text)).toEqual([
      {
        kind: 'Deployment',
        spec: { hostNetwork: true, volumes: [{ secret: { defaultMode: 256 } }, { configMap: { defaultMode: 420 } }] },
        data: { on: '0400', '0400': 'yes' },
      },
    ]);
  });

  test.each([
    ['metadata:\n  name: {{ .Release.Name }}\n', 2],
    ['{{- if .Values.a }}\nmetadata: {name: a}\n{{- end }}\n', 1],
    ['metadata:\n  labels:\n    {{- include "shop.labels" . | nindent 4 }}\n', 3],
    ['{{- /* A comment. */}}\nmetadata: {name: a}\n', 1],
  ])('are named with their line if they were not rendered: %j', async (text, line) => {
    const problem = `${chart}: contains a template that was not rendered (line ${line}); give what helm template or kustomize build prints.`;
    expect(await objectsIn(text)).toEqual([expect.stringContaining(problem)]);
  });

  test('may have templates of other programs in their texts, and other faults', async () => {
    expect(await objectsIn(`${SETTINGS}data: {a: "{{ .x }}"}\n`)).toMatchObject([{ data: { a: '{{ .x }}' } }]);
    expect(await objectsIn(`${SETTINGS}data: [`)).toEqual([expect.stringMatching(/: is not valid YAML: /)]);
  });

  test('are read once each from a folder whose links lead in a circle', async () => {
    const parts = join(folder.path, 'parts');
    mkdirSync(join(parts, 'x', 'folder.yaml'), { recursive: true });
    writeFileSync(chart, SETTINGS);
    symlinkSync('..', join(parts, 'x', 'up'));
    symlinkSync('..', join(parts, 'x', 'up.yaml'));
    symlinkSync(chart, join(parts, 'x', 'chart.yaml'));
    const { objects, problems } = await findObjects(parts);
    expect([objects.map(({ place }) => place), problems]).toEqual([
      [`${join(parts, 'x', 'chart.yaml')}: document 1`],
      [],
    ]);
  });
});
