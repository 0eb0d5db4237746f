import { expect, test } from 'vitest';
import { crowdedFolders, gerunds, longFiles } from './layout.ts';
import { readSources } from './sources.ts';

const sources = readSources(['src', 'bench', 'test']);
const paths = [...sources.keys()];

test('no file is named by a gerund', () => {
  expect(gerunds(paths)).toEqual([]);
});

test('a folder with more than a dozen files has folders inside', () => {
  expect(crowdedFolders(paths)).toEqual([]);
});

test('no file has more than 300 lines', () => {
  expect(longFiles(sources)).toEqual([]);
});

test('a gerund is found, and a noun that ends like one is not', () => {
  expect(gerunds(['src/http/planning.ts', 'src/http/jobRunning.test.ts'])).toEqual([
    'src/http/planning.ts: "planning" is a gerund',
    'src/http/jobRunning.test.ts: "running" is a gerund',
  ]);
  expect(gerunds(['src/catalog/listing.ts', 'src/service/upgradeSettings.ts', 'src/a/runningJobs.ts'])).toEqual([]);
});

test('a flat folder with thirteen files is found, and its tests are not counted', () => {
  const files = Array.from({ length: 13 }, (_, n) => `src/http/file${n}.ts`);
  expect(crowdedFolders(files)).toEqual(['src/http has 13 files; group them in folders']);
  expect(crowdedFolders([...files.slice(1), 'src/http/file1.test.ts'])).toEqual([]);
  expect(crowdedFolders([...files, 'src/http/admin/file.ts'])).toEqual([]);
});

test('a file with 301 lines is found', () => {
  expect(longFiles(new Map([['src/a.ts', 'x\n'.repeat(301)]]))).toEqual(['src/a.ts: more than 300 lines']);
  expect(longFiles(new Map([['src/a.ts', 'x\n'.repeat(300)]]))).toEqual([]);
});
