// Reads YAML from files and fields. YAML can be small and expensive: deep nesting and aliases multiply the work of a
// parser. So a text is limited in size before it is parsed, in depth while it is parsed, and aliases are refused.
import { CORE_SCHEMA, YAMLException, loadAll } from 'js-yaml';
import { KUBERNETES_SCHEMA, plainValue } from './kubernetesScalars.ts';

type YamlResult<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly problem: string };

/** The largest YAML text that a request may carry, in bytes. */
export const MAX_YAML = 192 * 1024;
/** As in SOAP requests. The parser counts the document as a level, too. */
const MAX_DEPTH = 64;
const MAX_DOCUMENTS = 10_000;

const LIMIT_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/^nesting exceeded/, `is nested deeper than ${MAX_DEPTH} levels`],
  [/^aliases exceeded/, 'contains an alias; aliases are not accepted, write the value itself'],
  [/^duplicated mapping key/, 'contains a key twice'],
];

function invalid(problem: string): YamlResult<never> {
  return { kind: 'invalid', problem };
}

function problemOf(error: unknown): string {
  if (!(error instanceof YAMLException)) throw error;
  const { reason, mark } = error;
  const place = mark === undefined ? '' : ` (line ${mark.line + 1}, column ${mark.column + 1})`;
  const known = LIMIT_PROBLEMS.find(([pattern]) => pattern.test(reason))?.[1];
  return `${known ?? `is not valid YAML: ${reason}`}${place}`;
}

/** Counts the lines that begin a document. The first document needs none. */
function documentStarts(text: string): number {
  return text.match(/^---(?=\s|$)/gm)?.length ?? 0;
}

function tooManyDocuments(max: number): YamlResult<never> {
  return invalid(`contains more than ${max === 1 ? 'one document' : `${max} documents`}`);
}

function readDocuments(
  text: string,
  maxBytes: number,
  maxDocuments: number,
  schema = CORE_SCHEMA,
): YamlResult<readonly unknown[]> {
  const size = Buffer.byteLength(text);
  if (size > maxBytes) return invalid(`is too large for YAML: it has ${size} bytes, ${maxBytes} are allowed`);
  if (documentStarts(text) > maxDocuments + 1) return tooManyDocuments(maxDocuments);
  try {
    const found = loadAll(text, { schema, maxDepth: MAX_DEPTH + 1, maxAliases: 0 });
    return found.length > maxDocuments ? tooManyDocuments(maxDocuments) : { kind: 'valid', value: found };
  } catch (error) {
    return invalid(problemOf(error));
  }
}

/** Reads all documents of a YAML text. Their values are those of JSON. */
export function readYamlDocuments(text: string, maxBytes = MAX_YAML): YamlResult<readonly unknown[]> {
  return readDocuments(text, maxBytes, MAX_DOCUMENTS);
}

/** Reads all documents of a YAML text, and their plain scalars as the tools of Kubernetes do: `0400` is octal, `yes` is true. */
export function readKubernetesYaml(text: string, maxBytes = MAX_YAML): YamlResult<readonly unknown[]> {
  const read = readDocuments(text, maxBytes, MAX_DOCUMENTS, KUBERNETES_SCHEMA);
  return read.kind === 'invalid' ? read : { kind: 'valid', value: read.value.map(plainValue) };
}

/** Reads a YAML text with one document. An empty text is `null`. */
export function readYaml(text: string, maxBytes = MAX_YAML): YamlResult<unknown> {
  const documents = readDocuments(text, maxBytes, 1);
  return documents.kind === 'invalid' ? documents : { kind: 'valid', value: documents.value[0] ?? null };
}
