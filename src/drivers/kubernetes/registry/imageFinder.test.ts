import { describe, expect, test } from 'vitest';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import { createImageFinder } from './imageFinder.ts';
import type { ImageReference } from './imageReference.ts';
import type { RegistryAnswer, RegistryClient } from './registryClient.ts';

const [FIRST, SECOND, PLATFORM] = ['ab', 'cd', 'ef'].map((byte) => `sha256:${byte.repeat(32)}`) as [
  string,
  string,
  string,
];
const ABSENT: RegistryAnswer = { kind: 'absent', reason: 'the registry r.example has no web' };

function found(digest: string, ...aliases: readonly string[]): RegistryAnswer {
  return { kind: 'found', digest, aliases, children: [] };
}

/** A registry that answers by the digest or the tag of a reference. */
function finderOf(answers: Readonly<Record<string, RegistryAnswer>>) {
  const asked: { readonly name: string; readonly credentials: readonly string[] }[] = [];
  const registry: Pick<RegistryClient, 'find'> = {
    async find({ digest, tag }: ImageReference, { credentials }) {
      const name = digest ?? tag ?? '';
      asked.push({ name, credentials: [...credentials.keys()] });
      return answers[name] ?? ABSENT;
    },
  };
  const account = { kind: 'ServiceAccount', metadata: { name: 'default' }, imagePullSecrets: [{ name: 'pull' }] };
  const auths = { 'r.example': { auth: Buffer.from('user:password').toString('base64') } };
  const secret = {
    kind: 'Secret',
    metadata: { name: 'pull' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
  };
  return { finder: createImageFinder(fakeClusterApi({ objects: [account, secret] }).api, registry), asked };
}

const WORKLOAD = { kind: 'Deployment', object: { metadata: { name: 'web' } } } as const;

function image(reference: string, checksum?: string) {
  return { container: 'app', image: reference, checksum };
}

describe('[UPG6] images in a registry that a test answers for', () => {
  test.each([
    ['has the digest', { [FIRST]: found(FIRST) }, `web:2@${FIRST}`, { kind: 'found', aliases: [] }],
    ['has the checksum as a platform', { 2: found(SECOND, FIRST) }, 'web:2', { kind: 'found', aliases: [FIRST] }],
    ['has another digest for the tag', { 2: found(SECOND) }, 'web:2', { kind: 'differs', found: SECOND }],
    ['lacks the digest, but has the tag', { 2: found(SECOND) }, `web:2@${FIRST}`, { kind: 'differs', found: SECOND }],
    ['lacks the digest and the tag', {}, `web:2@${FIRST}`, ABSENT],
    ['lacks the digest, without a tag', {}, `web@${FIRST}`, ABSENT],
    [
      'does not answer',
      { [FIRST]: { kind: 'unknown', reason: 'x' } },
      `web:2@${FIRST}`,
      { kind: 'unknown', reason: 'x' },
    ],
  ] as const)('a registry that %s', async (_name, answers, reference, expected) => {
    const { finder } = finderOf(answers);
    expect(await finder.find([image(`r.example/${reference}`, FIRST)], [WORKLOAD])).toEqual([expected]);
  });

  test('is asked with the pull secrets of the service account', async () => {
    const { finder, asked } = finderOf({ [FIRST]: found(FIRST) });
    await finder.find([image(`r.example/web@${FIRST}`, FIRST)], [WORKLOAD]);
    expect(asked).toEqual([{ name: FIRST, credentials: ['r.example'] }]);
  });

  test('proves once that another digest is the same image', async () => {
    const { finder, asked } = finderOf({ [FIRST]: found(FIRST, PLATFORM) });
    expect(finder.isSame(FIRST, PLATFORM)).toBe(false);
    for (let n = 0; n < 2; n += 1) expect(await finder.learn(image('r.example/web:2', FIRST), [WORKLOAD])).toBe(true);
    expect([finder.isSame(FIRST, PLATFORM), finder.isSame(FIRST, SECOND), asked.length]).toEqual([true, false, 1]);
  });

  test('proves nothing if it does not answer, or without a checksum', async () => {
    const { finder } = finderOf({ [FIRST]: { kind: 'unknown', reason: 'x' } });
    expect(await finder.learn(image('r.example/web:2', FIRST), [WORKLOAD])).toBe(false);
    expect(await finder.learn(image('r.example/web:2'), [WORKLOAD])).toBe(false);
  });
});
