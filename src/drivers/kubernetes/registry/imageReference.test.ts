import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOfImageId, parseReference, pinned, rewritten } from './imageReference.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

describe('[UPG12] references of images', () => {
  test.each([
    ['web', '', 'web', undefined, undefined],
    ['acme/web:1', '', 'acme/web', '1', undefined],
    ['localhost/web', 'localhost', 'web', undefined, undefined],
    ['r.example/web', 'r.example', 'web', undefined, undefined],
    ['r.example:5000/web', 'r.example:5000', 'web', undefined, undefined],
    ['r.example:5000/a/b/web:1.2', 'r.example:5000', 'a/b/web', '1.2', undefined],
    [`r.example:5000/web:1@${DIGEST}`, 'r.example:5000', 'web', '1', DIGEST],
    [`web@${DIGEST}`, '', 'web', undefined, DIGEST],
    ['web@sha256:12', '', 'web', undefined, undefined],
  ])('%s is read', (text, registry, repository, tag, digest) => {
    expect(parseReference(text)).toEqual({ registry, repository, tag, digest });
  });

  test('a reference is pinned once, and keeps its tag', () => {
    expect(pinned('r.example:5000/web:1', DIGEST)).toBe(`r.example:5000/web:1@${DIGEST}`);
    expect(pinned(`web@${DIGEST}`, `sha256:${'cd'.repeat(32)}`)).toBe(`web@${DIGEST}`);
    expect(pinned('web:1', undefined)).toBe('web:1');
  });

  test.each([
    [`docker-pullable://127.0.0.1:5000/web@${DIGEST}`, DIGEST],
    [`docker://${DIGEST}`, DIGEST],
    [`docker.io/library/web@${DIGEST}`, DIGEST],
    [DIGEST, DIGEST],
    ['', undefined],
    ['docker.io/library/web:1', undefined],
  ])('the constructed imageID %j has the digest %j, as Docker, containerd or CRI-O report it', (imageId, digest) => {
    expect(digestOfImageId(imageId)).toBe(digest);
  });
});

describe('[UPG12] rewriting of references for a mirror', () => {
  const rewrites = [
    { from: 'r.example', to: 'mirror.local:5000' },
    { from: 'r.example/acme', to: 'mirror.local:5000/ours' },
  ];

  test.each([
    ['r.example/acme/web:1', 'mirror.local:5000/ours/web:1'],
    ['r.example/other/web', 'mirror.local:5000/other/web'],
    ['r.example/acmes/web', 'mirror.local:5000/acmes/web'],
    ['other.example/acme/web', 'other.example/acme/web'],
    ['r.examples/acme/web', 'r.examples/acme/web'],
  ])('%s becomes %s', (image, expected) => {
    expect(rewritten(image, rewrites)).toBe(expected);
  });

  test('a registry with another port is another registry', () => {
    expect(rewritten('r.example:5000/acme/web', rewrites)).toBe('r.example:5000/acme/web');
  });

  test('a tag and a digest of a whole image are kept', () => {
    const whole = [{ from: 'r.example/web', to: 'm/copy' }];
    expect(rewritten(`r.example/web:1@${DIGEST}`, whole)).toBe(`m/copy:1@${DIGEST}`);
    expect(rewritten('r.example/web', whole)).toBe('m/copy');
  });

  const part = fc.stringMatching(/^[a-z]{1,6}$/);
  const path = fc.array(part, { minLength: 1, maxLength: 4 });

  test('the longest matching prefix wins, whatever the order of the rewrites', () => {
    fc.assert(
      fc.property(path, fc.shuffledSubarray([1, 2, 3], { minLength: 2 }), (parts, lengths) => {
        const image = `r.example/${parts.join('/')}`;
        const all = lengths
          .filter((length) => length <= parts.length)
          .map((length) => ({ from: `r.example/${parts.slice(0, length).join('/')}`, to: `m${length}` }));
        const longest = all.length === 0 ? undefined : Math.max(...lengths.filter((one) => one <= parts.length));
        const expected = longest === undefined ? image : [`m${longest}`, ...parts.slice(longest)].join('/');
        expect(rewritten(image, all)).toBe(expected);
      }),
    );
  });

  test('parsing a reference and writing its parts gives the same reference', () => {
    const host = fc.constantFrom('', 'r.example/', 'r.example:5000/', 'localhost:1/');
    fc.assert(
      fc.property(host, path, fc.option(part), fc.boolean(), (registry, parts, tag, isPinned) => {
        const text = `${registry}${parts.join('/')}${tag === null ? '' : `:${tag}`}${isPinned ? `@${DIGEST}` : ''}`;
        const read = parseReference(text);
        const written = [
          read.registry === '' ? '' : `${read.registry}/`,
          read.repository,
          read.tag === undefined ? '' : `:${read.tag}`,
          read.digest === undefined ? '' : `@${read.digest}`,
        ].join('');
        expect(written).toBe(text);
      }),
    );
  });
});
