import { describe, expect, test } from 'vitest';
import { isDrifted, isSameImages } from './images.ts';

const [D1, D2] = ['sha256:1', 'sha256:2'];

/** A workload that is configured with an image and runs a checksum. */
function runs(image: string, checksum: string | undefined) {
  return [{ container: 'web', image, checksum }];
}

describe('[UPG12] isSameImages', () => {
  test('the same reference with the same checksum is the same', () => {
    expect(isSameImages(runs('r/web:1', D1), runs('r/web:1', D1))).toBe(true);
  });

  test('a tag and the same tag pinned to the checksum that runs are the same', () => {
    expect(isSameImages(runs('r/web:1', D1), runs(`r/web:1@${D1}`, D1))).toBe(true);
  });

  test('a workload that is configured with a new image and still runs the old one is neither the old nor the new', () => {
    const halfway = runs(`r/web:1@${D2}`, D1);
    expect(isSameImages(halfway, runs(`r/web:1@${D1}`, D1))).toBe(false);
    expect(isSameImages(halfway, runs(`r/web:1@${D2}`, D2))).toBe(false);
  });

  test('another checksum, and an unknown one, are another image', () => {
    expect(isSameImages(runs('r/web:1', D1), runs('r/web:1', D2))).toBe(false);
    expect(isSameImages(runs('r/web:1', undefined), runs(`r/web:1@${D1}`, D1))).toBe(false);
  });

  test('the same checksum under another name is another image: an undo restores the name too', () => {
    expect(isSameImages(runs('r/web:1', D1), runs('mirror/web:1', D1))).toBe(false);
  });
});

describe('[UPG10] isDrifted', () => {
  test.each([
    ['the same image from a mirror', runs(`mirror/web:1@${D1}`, D1), false],
    ['the same tag with an unknown checksum', runs('r/web:1', undefined), false],
    ['another tag with an unknown checksum', runs('r/web:2', undefined), true],
    ['another checksum', runs('r/web:1', D2), true],
    ['a new image that does not run yet', runs(`r/web:2@${D2}`, D1), true],
  ])('%s: %#', (_what, present, isOther) => {
    expect(isDrifted(present, runs(`r/web:1@${D1}`, D1))).toBe(isOther);
  });
});
