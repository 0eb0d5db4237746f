// How the tools of Kubernetes (kubectl, Helm, kustomize) read the plain scalars of YAML: as YAML 1.1, without its numbers of base 60, and
// with the octal numbers of YAML 1.2. They turn every key into a string.
import type { ScalarTagDefinition, Schema } from 'js-yaml';
import { CORE_SCHEMA, NOT_RESOLVED, boolCoreTag, floatCoreTag, intCoreTag, mapTag, nullCoreTag, seqTag } from 'js-yaml';

/** A scalar that is not a string, with its text: as a key, it is its text. */
class PlainScalar {
  readonly text: string;
  readonly value: unknown;

  constructor(text: string, value: unknown) {
    this.text = text;
    this.value = value;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map(
  [
    ['y', 'n'],
    ['yes', 'no'],
    ['on', 'off'],
    ['true', 'false'],
  ].flatMap((pair) =>
    pair.flatMap((word, n) => {
      const capitalized = `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
      return [word, capitalized, word.toUpperCase()].map((one) => [one, n === 0] as const);
    }),
  ),
);

/** In the order in which they are tried: `08` is not octal, so it is decimal. */
const INTEGERS: readonly (readonly [RegExp, number])[] = [
  [/^0b([01]+)$/i, 2],
  [/^0x([\da-f]+)$/i, 16],
  [/^0o?([0-7]+)$/i, 8],
  [/^(\d+)$/, 10],
];
const FLOAT = /^(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?$/i;

function integerOf(digits: string): number | undefined {
  for (const [pattern, base] of INTEGERS) {
    const found = pattern.exec(digits)?.[1];
    if (found !== undefined) return base === 10 ? Number(found) : Number.parseInt(found, base);
  }
  return undefined;
}

function numberOf(text: string): number | undefined {
  // A number that begins with a point or an underscore has no underscores.
  const plain = /^[-+\d]/.test(text) ? text.replaceAll('_', '') : text;
  const isNegative = plain.startsWith('-');
  const digits = /^[-+]/.test(plain) ? plain.slice(1) : plain;
  const number = integerOf(digits) ?? (FLOAT.test(digits) ? Number(digits) : undefined);
  if (number === undefined || !Number.isFinite(number)) return undefined;
  return isNegative ? -number : number;
}

/** `.inf` and `.nan` are refused later, with their place in the object. */
function resolveFloat(text: string, isExplicit: boolean, tagName: string): unknown {
  return (
    numberOf(text) ?? (/^[-+]?\.[a-z]/i.test(text) ? floatCoreTag.resolve(text, isExplicit, tagName) : NOT_RESOLVED)
  );
}

function withText(
  tag: ScalarTagDefinition,
  implicitFirstChars: string,
  resolve: ScalarTagDefinition['resolve'],
): ScalarTagDefinition {
  return {
    ...tag,
    implicitFirstChars: implicitFirstChars === '' ? tag.implicitFirstChars : implicitFirstChars.split(''),
    resolve(text, isExplicit, tagName) {
      const value = resolve(text, isExplicit, tagName);
      return value === NOT_RESOLVED ? NOT_RESOLVED : new PlainScalar(text, value);
    },
  };
}

/** The value of what the schema constructs. Only a document that is a scalar is not unwrapped by its list or object. */
export function plainValue(value: unknown): unknown {
  return value instanceof PlainScalar ? value.value : value;
}

function keyText(key: unknown): unknown {
  return key instanceof PlainScalar ? key.text : key;
}

const DIGITS = '0123456789';

/** The schema of YAML as the tools of Kubernetes read it. */
export const KUBERNETES_SCHEMA: Schema = CORE_SCHEMA.withTags(
  withText(nullCoreTag, '', nullCoreTag.resolve),
  withText(boolCoreTag, 'yYnNtTfFoO', (text) => BOOLEANS.get(text) ?? NOT_RESOLVED),
  withText(intCoreTag, `-+${DIGITS}`, (text) => {
    const number = numberOf(text);
    return number === undefined || !Number.isInteger(number) ? NOT_RESOLVED : number;
  }),
  withText(floatCoreTag, `-+.${DIGITS}`, resolveFloat),
  {
    ...mapTag,
    addPair: (object, key, value) => mapTag.addPair(object, keyText(key), plainValue(value)),
    has: (object, key) => mapTag.has(object, keyText(key)),
  },
  { ...seqTag, addItem: (list, item, n) => seqTag.addItem(list, plainValue(item), n) },
);
