import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../foundation/schema/json.ts';
import type { BundleRules } from './bundleRules.ts';
import { bundleChecksum, bundleText } from './bundleText.ts';
import { MAX_BUNDLE_BYTES, readBundle } from './readBundle.ts';

const map = (name: string, others: object = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...others,
});
const object = (apiVersion: string, kind: string, metadata: object = {}, others: object = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', ...metadata },
  ...others,
});

function linesOf(objects: readonly unknown[]): Buffer {
  return Buffer.from(objects.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

function problemsOf(bundle: Buffer | string, rules?: BundleRules): readonly string[] {
  const read = readBundle(Buffer.from(bundle), rules);
  return read.kind === 'invalid' ? read.problems : [];
}

function problemsIn(one: unknown, rules?: BundleRules): readonly string[] {
  return problemsOf(linesOf([one]), rules);
}

describe('[OBJ1] a bundle', () => {
  test('[DEC122] is one object on each line', () => {
    const [one, other] = [map('a'), object('example.com/v1', 'Widget')];
    const objects = [
      { name: 'ConfigMap/a', content: one },
      { name: 'Widget.example.com/web', content: other },
    ];
    expect(readBundle(linesOf([one, other]))).toEqual({ kind: 'valid', objects });
    expect(readBundle(linesOf([one, other]).subarray(0, -1))).toEqual({ kind: 'valid', objects });
    expect(problemsOf(`${JSON.stringify(one)}\r\n`)).toEqual([]);
  });

  test.each([
    ['', 'is empty; a bundle has one object on each line'],
    ['\n', 'line 1: is empty; a bundle has one object on each line'],
    ['{"a":1}\n\n{"a":1}', 'line 2: is empty; a bundle has one object on each line'],
    [Buffer.from([0xff, 0xfe]), 'must be UTF-8'],
    [Buffer.alloc(MAX_BUNDLE_BYTES + 1, 32), 'must have at most 16777216 bytes, not 16777217'],
    [Buffer.alloc(5001, 10), 'must have at most 5000 lines, one for each object'],
    [`${'\n'.repeat(5000)}{}`, 'must have at most 5000 lines, one for each object'],
    ['\uFEFF{}', 'line 1 begins with a byte order mark; save the file as UTF-8 without it'],
    ['apiVersion: v1', 'line 1: must be JSON, nested at most 1000 levels deep'],
    ['[]', 'line 1: must be a JSON object'],
    ['{"a":1,"a":2}', 'line 1: has the key "a" more than once'],
    [`{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`, 'line 1: must be JSON, nested at most 1000 levels deep'],
    [`{"a":[${'{},'.repeat(150_000)}{}]}`, 'line 1: must have at most 150000 objects and lists'],
  ])('is refused: %#', (bundle, problem) => {
    expect(problemsOf(bundle)).toContain(problem);
  });

  test('may have 5,000 objects', () => {
    expect(problemsOf(linesOf(Array.from({ length: 5000 }, (_, n) => map(`m${n}`))))).toEqual([]);
  });

  test.each(['9007199254740993', '-9007199254740993', '1e999', '12345678901234567890'])(
    'does not take the number %s, which JavaScript would change',
    (number) => {
      const line = JSON.stringify(map('a', { x: 0, data: { a: '99999999999999999999' } }));
      expect(problemsOf(line.replace('"x":0', `"x":${number}`))).toEqual([
        'line 1: has a number that is not kept exactly; write it as a string, or below 2^53',
      ]);
    },
  );

  test.each(['0', '-1', '1.5', '1e3', '9007199254740991', '-0.25E-3'])('takes the number %s', (number) => {
    expect(problemsOf(JSON.stringify(map('a', { x: 0 })).replace('"x":0', `"x":${number}`))).toEqual([]);
  });

  test('[DEC122] lists at most 20 problems', () => {
    const problems = problemsOf(linesOf(Array.from({ length: 5000 }, () => ({}))));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe('and many more');
  });
});

describe('[OBJ1] the text of a bundle', () => {
  const objects = [
    object('apps/v1', 'Deployment'),
    map('b', { data: { z: '1', a: '2', 10: 'x', 9: 'y' } }),
    map('a'),
  ].map((content) => ({
    name: `${String(content['kind'])}/${String((content['metadata'] as JsonObject)['name'])}`,
    content,
  }));

  test('has sorted objects with sorted keys, and a checksum', () => {
    const text = bundleText(objects);
    expect(text.split('\n')).toEqual([
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}',
      '{"apiVersion":"v1","data":{"10":"x","9":"y","a":"2","z":"1"},"kind":"ConfigMap","metadata":{"name":"b"}}',
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}}',
      '',
    ]);
    expect(bundleText(objects.toReversed())).toBe(text);
    expect(bundleChecksum(text)).toMatch(/^sha256:[\da-f]{64}$/);
    expect(bundleChecksum(Buffer.from(text))).toBe(bundleChecksum(text));
  });

  test('reads back as the same objects', () => {
    const read = readBundle(Buffer.from(bundleText(objects)));
    expect(read.kind === 'valid' && bundleText(read.objects)).toBe(bundleText(objects));
  });
});

describe('[OBJ2] an object of a bundle', () => {
  test.each<readonly [JsonObject, string]>([
    [{ kind: 'ConfigMap', metadata: { name: 'a' } }, 'apiVersion must be v1, or a group and a version such as'],
    [object('v2', 'Secret'), 'Secret/web: apiVersion must be v1, or a group and a version'],
    [object('constructor', 'Widget'), 'apiVersion must be v1'],
    [object('Apps/v1', 'Deployment'), 'apiVersion must be v1'],
    [object('apps..x/v1', 'Deployment'), 'apiVersion must be v1'],
    [object('apps/latest', 'Deployment'), 'apiVersion must be v1'],
    [object('v1', 'toString'), 'kind must begin with an upper-case letter'],
    [object('v1', 'secret'), 'kind must begin with an upper-case letter'],
    [object('v1', 'Config-Map'), 'kind must begin with an upper-case letter'],
    [object('v1', `A${'a'.repeat(63)}`), 'kind must begin with an upper-case letter and have at most 63'],
    [{ apiVersion: 'v1', metadata: { name: 'a' } }, 'kind must begin with an upper-case letter'],
    [{ apiVersion: 'v1', kind: 'ConfigMap' }, 'metadata must be an object with a name'],
    [map('Web'), 'ConfigMap/Web: metadata.name must be 1 to 253 lower-case letters'],
    [map('a-.b'), 'metadata.name must be 1 to 253 lower-case letters'],
    [map('a'.repeat(254)), 'metadata.name must be 1 to 253 lower-case letters'],
    [object('v1', 'ConfigMap', { name: 7 }), 'metadata.name must be 1 to 253 lower-case letters'],
    [object('v1', 'ConfigMap', { generateName: 'a-' }), 'metadata.generateName is not allowed'],
    [object('v1', 'Pod'), 'Pod/web: kind must not be Pod'],
    [object('batch/v1', 'Job'), 'Job/web: kind must not be Job; a suspended CronJob'],
    [{ apiVersion: 'v1', kind: 'List', items: [] }, 'kind is a list; write each item as a line'],
    [{ apiVersion: 'v1', kind: 'ConfigMapList', items: [] }, 'kind is a list'],
    [object('v1', 'Service', {}, { status: { loadBalancer: { ingress: [{}, { ip: 'a' }] } } }), 'status is written by'],
    [object('v1', 'Service', { uid: 'x' }), 'metadata.uid is written by the cluster; leave it out'],
    [object('v1', 'Service', { resourceVersion: '7' }), 'metadata.resourceVersion is written'],
    [object('v1', 'Service', { creationTimestamp: '2026' }), 'metadata.creationTimestamp is written'],
    [object('v1', 'Service', { managedFields: [{ manager: 'x' }] }), 'metadata.managedFields is written'],
    [object('v1', 'Service', { ownerReferences: [{ name: 'x' }] }), 'metadata.ownerReferences is not allowed'],
    [
      object('v1', 'Service', { annotations: { 'steward/fence': '7' } }),
      'metadata.annotations[steward/fence] is not one',
    ],
    [
      object('v1', 'Service', { labels: { 'steward/installation': 'x' } }),
      'metadata.labels[steward/installation] is not',
    ],
    [object('v1', 'Service', { labels: { a: 7 } }), 'metadata.labels must be an object of strings'],
    [object('v1', 'Service', { annotations: { 'steward/wave': '-1' } }), 'metadata has a steward/wave that is not'],
    [
      object('v1', 'Service', { labels: { 'steward/hook': 'backup' } }),
      'metadata.labels[steward/hook] is for CronJobs',
    ],
    [
      object('batch/v1', 'CronJob', { labels: { 'steward/hook': 'x' } }),
      'metadata.labels[steward/hook] must be one of',
    ],
    [
      object(
        'apps/v1',
        'Deployment',
        {},
        { spec: { template: { metadata: { annotations: { 'steward/run': 'x' } } } } },
      ),
      'spec.template.metadata.annotations[steward/run] is not one of',
    ],
    [map('steward-mode'), 'metadata.name is that of an object that Steward writes itself'],
    [object('v1', 'Secret', { name: 'steward-licence' }), 'metadata.name is that of an object that Steward writes'],
    [map('a', { data: { port: 8080 } }), 'data.port must be a string; quote numbers and booleans'],
    [map('a', { data: [] }), 'data must be an object of strings'],
    [map('a', { binaryData: { a: '?' } }), 'binaryData.a must be base64'],
    [map('a', { data: { a: 'a\0b' } }), 'data.a must not contain NUL or half of a character'],
    [map('a', { data: { a: '\ud800' } }), 'data.a must not contain NUL or half of a character'],
    [object('rbac.authorization.k8s.io/v1', 'ClusterRole'), 'ClusterRole/web: kind belongs to the whole cluster'],
  ])('is refused: %#', (content, problem) => {
    expect(problemsIn(content)).toEqual([expect.stringContaining(problem)]);
  });

  test.each<JsonObject>([
    object('v1', 'Service', { creationTimestamp: null }, { status: { loadBalancer: {} } }),
    object('apps/v1', 'Deployment', { labels: { 'steward/upgrade': 'true', 'steward/self': 'true' } }),
    object('rbac.authorization.k8s.io/v1', 'Role', { name: 'system:Web' }),
    object('v1', 'Secret', {}, { data: { a: 'YQ==', b: '', c: 'YW\nJj' }, stringData: { d: 'x' } }),
    object('batch/v1', 'CronJob', { labels: { 'steward/hook': 'backup' } }),
  ])('is accepted: %#', (content) => {
    expect(problemsIn(content)).toEqual([]);
  });

  test('is refused with a key __proto__, and changes no prototype', () => {
    const line = JSON.stringify(map('a', { data: { x: { y: 1 } } })).replace('"x"', '"__proto__"');
    expect(problemsOf(line)).toEqual(expect.arrayContaining(['line 1: ConfigMap/a: data has a key that is __proto__']));
    expect(({} as JsonObject)['y']).toBeUndefined();
  });

  test('has a name that no other API version of its kind has', () => {
    const twice = [object('apps/v1', 'Deployment'), object('extensions/v1beta1', 'Deployment')];
    expect(problemsOf(linesOf(twice))).toEqual(['line 2: Deployment/web: is in line 1 already']);
  });

  test('is in the namespace of Steward, or in that of the others', () => {
    const [one, other, none] = [
      object('v1', 'ConfigMap', { namespace: 'shop' }),
      object('v1', 'Secret', { namespace: 'other' }),
      object('v1', 'Service'),
    ];
    expect(problemsOf(linesOf([one, other, none]))).toEqual([
      'line 2: Secret/web: metadata.namespace is not the one of line 1; leave it out, or use one namespace',
    ]);
    expect(problemsOf(linesOf([one, other, none]), { namespace: 'shop' })).toEqual([
      'line 2: Secret/web: metadata.namespace is not that of Steward, shop; leave it out, or use one namespace',
    ]);
    expect(problemsOf(linesOf([one, none]), { namespace: 'shop' })).toEqual([]);
  });

  test('may be of a kind of the whole cluster that is allowed, also one that the bundle defines', () => {
    const definition = object(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      { name: 'zones.example.com' },
      { spec: { scope: 'Cluster', group: 'example.com', names: { kind: 'Zone' } } },
    );
    const bundle = linesOf([definition, object('example.com/v1', 'Zone')]);
    const allowing = (...kinds: readonly string[]) => problemsOf(bundle, { clusterKinds: new Set(kinds) });
    expect(allowing('CustomResourceDefinition')).toEqual([
      expect.stringMatching(/^line 2: Zone\.example\.com\/web: kind belongs to the whole cluster/),
    ]);
    expect(allowing('CustomResourceDefinition', 'Zone.example.com')).toEqual([]);
  });
});
