import { join } from 'node:path';
import { readJson } from '../../../foundation/schema/json.ts';
import { readKubernetesYaml } from '../../../wire/documents/yaml.ts';
import { manifestFilesIn, readText } from '../files.ts';
import type { ChartObjects, PlacedDocument } from './chartObjects.ts';
import { chartObjects } from './chartObjects.ts';
import { yamlProblem } from '../yamlProblem.ts';

/** A rendered chart may be larger than what a request may carry. */
const MAX_FILE = 64 * 1024 * 1024;

type ReadDocuments =
  | { readonly kind: 'valid'; readonly documents: readonly PlacedDocument[] }
  | { readonly kind: 'invalid'; readonly problem: string };

function documentsOf(file: string, text: string): ReadDocuments {
  // `trim` also removes a byte order mark.
  const trimmed = text.trim();
  // Two braces begin a template of a chart.
  if (/^\{(?!\{)/.test(trimmed)) {
    const json = readJson(trimmed, 'is not valid JSON');
    if (json.kind === 'valid') return { kind: 'valid', documents: [{ place: file, document: json.value }] };
    return { kind: 'invalid', problem: `${file}: ${json.problem}` };
  }
  const yaml = readKubernetesYaml(trimmed, MAX_FILE);
  if (yaml.kind === 'invalid') return { kind: 'invalid', problem: `${file}: ${yamlProblem(trimmed, yaml.problem)}` };
  const documents = yaml.value.map((document, n) => ({ place: `${file}: document ${n + 1}`, document }));
  return { kind: 'valid', documents };
}

/** Finds the objects in a file, or in all manifests of a folder and below it. */
export async function findObjects(place: string): Promise<ChartObjects> {
  const names = await manifestFilesIn(place);
  const files = names?.map((name) => join(place, name)) ?? [place];
  if (files.length === 0)
    return {
      objects: [],
      leftOut: [],
      problems: [`${place}: the folder has no file that ends with .yaml, .yml or .json`],
    };
  const documents: PlacedDocument[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const read = documentsOf(file, await readText(file));
    if (read.kind === 'valid') documents.push(...read.documents);
    else problems.push(read.problem);
  }
  const found = chartObjects(documents);
  return { ...found, problems: [...problems, ...found.problems] };
}
