// Looks at every key and string of an object: for what Steward or the cluster would not keep, and for templates that were not rendered.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import { groupOf, kindOf } from '../bundleObject.ts';
import type { FieldProblem } from './objectPlace.ts';
import { fieldName } from './objectPlace.ts';

const TEMPLATE = /\{\{|\{%/;
/** What only a chart has: programs have templates too, such as dashboards, alerts and scripts. */
const CHART_TEMPLATE = /\{\{[^{}]{0,200}\.(?:Values|Release|Chart|Capabilities)\b/;
const INPUT = /(?<!\$)\$\{input\./;
/** A lone surrogate cannot be sent, and a store cannot keep NUL. */
const UNKEPT = /[\0\p{Cs}]/u;

/** Every text with a problem has one of these characters. */
const SUSPECT = /[{\0\p{Cs}]/u;

/** Fields of Kubernetes itself that carry texts of other programs. */
const FREE_FIELDS: ReadonlySet<string> = new Set(['annotations', 'args', 'command', 'env']);
const FREE_KINDS: ReadonlySet<string> = new Set(['ConfigMap', 'Secret', 'CustomResourceDefinition']);

function isFree(content: JsonObject): boolean {
  const kind = kindOf(content);
  // The name of a kind that Kubernetes does not have itself contains its group.
  return FREE_KINDS.has(kind) || (kind.includes('.') && groupOf(String(content['apiVersion'])) !== '');
}

function textProblem(text: string, isFreeText: boolean): string | undefined {
  if (!SUSPECT.test(text)) return undefined;
  if (UNKEPT.test(text)) return 'must not contain NUL or half of a character';
  if ((isFreeText ? CHART_TEMPLATE : TEMPLATE).test(text))
    return 'contains a template that was not rendered; give what helm template or kustomize build prints';
  if (INPUT.test(text)) return 'has ${input.…}, which needs a later version of Steward; write $${ for a literal ${';
  return undefined;
}

function keyProblem(key: string): string | undefined {
  return key === '__proto__' ? 'is __proto__' : textProblem(key, false);
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}

/** Finds the first problem of the texts in an object; one is enough to send it back. */
export function textProblems(content: JsonObject): readonly FieldProblem[] {
  const path: (string | number)[] = [];
  const isFreeKind = isFree(content);

  function visit(value: unknown, isFreeText: boolean): FieldProblem | undefined {
    if (typeof value === 'string') {
      const text = textProblem(value, isFreeText);
      return text === undefined ? undefined : { field: fieldName(path), text };
    }
    // JSON has neither infinity nor NaN, but YAML has.
    if (typeof value === 'number' && !Number.isFinite(value))
      return { field: fieldName(path), text: 'must be a finite number' };
    if (Array.isArray(value)) return firstIn(value.entries(), () => isFreeText);
    if (!isObject(value)) return undefined;
    const problem = Object.keys(value).map(keyProblem).find(isText);
    if (problem !== undefined) return { field: fieldName(path), text: `has a key that ${problem}` };
    return firstIn(Object.entries(value), (key) => isFreeText || FREE_FIELDS.has(String(key)));
  }

  function firstIn(
    entries: Iterable<readonly [string | number, unknown]>,
    isFreeAt: (step: string | number) => boolean,
  ): FieldProblem | undefined {
    for (const [step, value] of entries) {
      path.push(step);
      const problem = visit(value, isFreeAt(step));
      path.pop();
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  const found = visit(content, isFreeKind);
  return found === undefined ? [] : [found];
}
