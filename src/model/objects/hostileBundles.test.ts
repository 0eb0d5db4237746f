import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bundleText } from './bundleText.ts';
import { readBundle } from './readBundle.ts';

const SECRET_VALUE = 'hunter2-hunter2';

function problemsOf(objects: readonly unknown[]): readonly string[] {
  const read = readBundle(Buffer.from(objects.map((one) => JSON.stringify(one)).join('\n')));
  return read.kind === 'invalid' ? read.problems : [];
}

const map = (data: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data });
const deployment = (pod: object): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { template: { spec: pod } },
});

describe('[OBJ2] a template that was not rendered', () => {
  test.each([
    [deployment({ nodeName: '{{ .x }}' }), 'spec.template.spec.nodeName contains a template'],
    [deployment({ nodeName: '{% x %}' }), 'spec.template.spec.nodeName contains a template'],
    [deployment({ '{{x}}': 1 }), 'spec.template.spec has a key that contains a template'],
    [deployment({ containers: [{ image: 'web:{{ .Values.tag }}' }] }), 'containers[0].image contains a template'],
    [deployment({ containers: [{ args: ['{{ .Values.x }}'] }] }), 'containers[0].args[0] contains a template'],
    [map({ a: 'x: {{ $.Release.Name }}' }), 'data.a contains a template'],
    [map({ a: '${input.host}' }), 'data.a has ${input.…}, which needs a later version of Steward'],
  ])('is refused: %#', (content, problem) => {
    expect(problemsOf([content])).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    map({ dashboard: '{{instance}} {{ $labels.job }}', script: 'echo ${HOME} $${input.x} {% raw %}' }),
    deployment({ containers: [{ args: ['-o', 'go-template={{range .items}}{{.metadata.name}}{{end}}'] }] }),
    { apiVersion: 'example.com/v1', kind: 'Rule', metadata: { name: 'a' }, spec: { text: '{{ $value }}' } },
  ])('is not what another program renders: %#', (content) => {
    expect(problemsOf([content])).toEqual([]);
  });
});

describe('[OBJ4] a Secret', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };
  const text = JSON.stringify({ ...secret, stringData: { a: SECRET_VALUE } });

  test.each([
    JSON.stringify({ ...secret, data: { a: SECRET_VALUE } }),
    JSON.stringify({ ...secret, data: { a: { b: SECRET_VALUE } } }),
    JSON.stringify({ ...secret, data: SECRET_VALUE }),
    JSON.stringify({ ...secret, stringData: { a: `${SECRET_VALUE}{{ .Values.a }}` } }),
    JSON.stringify({ ...secret, stringData: { a: `${SECRET_VALUE}\0` } }),
    JSON.stringify({ ...secret, status: SECRET_VALUE }),
    JSON.stringify({ ...secret, metadata: { name: SECRET_VALUE.toUpperCase() + SECRET_VALUE } }).replace(
      /HUNTER2-HUNTER2hunter2-hunter2/,
      '-',
    ),
    text.slice(0, -1),
    text.replace('"stringData"', '"data":{},"data"'),
    `${text}\n${text}`,
  ])('has its value in no problem: %#', (bundle) => {
    const read = readBundle(Buffer.from(bundle));
    expect(read.kind).toBe('invalid');
    expect(JSON.stringify(read)).not.toContain(SECRET_VALUE);
  });
});

describe('[OBJ1] any bytes', () => {
  const keys = fc.constantFrom(
    'apiVersion',
    'kind',
    'metadata',
    'spec',
    'data',
    'items',
    'status',
    'labels',
    'name',
    '__proto__',
  );
  const values = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom('v1', 'apps/v1', 'Deployment', 'Secret', 'List', 'CustomResourceDefinition', '{{', null, 7, ''),
      fc.string(),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(keys, tie('any'), { maxKeys: 6 }),
    ),
  })).any;

  test('are read or refused with a place', () => {
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 4 }), (objects) => {
        const read = readBundle(Buffer.from(objects.map((one) => JSON.stringify(one)).join('\n')));
        const problems = read.kind === 'invalid' ? read.problems : [];
        expect(problems.filter((one) => !/^(?:line \d+: |and )/.test(one))).toEqual([]);
        const again = read.kind === 'valid' ? readBundle(Buffer.from(bundleText(read.objects))) : { kind: 'valid' };
        expect(again.kind).toBe('valid');
      }),
      { numRuns: 500 },
    );
  });

  test('that are not text are refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(readBundle(Buffer.from(bytes)).kind).toBe('invalid');
      }),
    );
  });

  test('show no control character of a name or key', () => {
    const [problem = ''] = problemsOf([
      { ...map({}), metadata: { name: 'a\u001b[2Jb' } },
      { ...map({ 'x\u001b': 7 }), metadata: { name: 'b' } },
    ]);
    expect(problem).not.toMatch(/\p{Cc}/u);
  });
});
