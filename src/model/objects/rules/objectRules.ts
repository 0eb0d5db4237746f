// What one object of a bundle must be, whatever else is in the bundle.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import { HOOKS } from '../../hook.ts';
import { kindOf, objectName } from '../bundleObject.ts';
import { isHook, markOf } from '../objectMarks.ts';
import type { FieldProblem } from './objectPlace.ts';
import { fieldName } from './objectPlace.ts';
import { templatePath } from '../podTemplate.ts';
import { isSecret } from '../secrets.ts';

/** Without a group there is `v1` only. A group is a DNS name. */
const API_VERSION =
  /^(?:v1|(?=.{1,253}\/)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*\/v\d{1,9}(?:(?:alpha|beta)\d{1,9})?)$/;
const KIND = /^[A-Z][A-Za-z\d]{0,62}$/;
const NAME = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,252})(?:\.[a-z\d][a-z\d-]{0,252}){0,126}$/;
/** Roles and bindings may have names such as `system:nodes`. */
const RIGHTS_NAME = /^[A-Za-z\d][\w.:@-]{0,252}$/;
const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** Objects that Steward itself writes to the namespace. */
const OWN_OBJECTS: ReadonlySet<string> = new Set(['ConfigMap/steward-mode', 'Secret/steward-licence']);

/** The marks that an object may have; Steward writes others itself. */
const MARKS = ['hook', 'keep', 'restart', 'self', 'upgrade', 'wave'].map((one) => `steward/${one}`);

/** The fields that the API server writes. */
export const SERVER_FIELDS = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
] as const;

/** Whether a value says nothing, as tools write a status: null, 0, an empty text, or a list or object of such values. */
export function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.values(value).every(saysNothing);
}

function problem(path: readonly (string | number)[], text: string): FieldProblem {
  return { field: fieldName(path), text };
}

function isName(name: unknown, kind: string): boolean {
  if (typeof name !== 'string') return false;
  const isRights = /^(?:Cluster)?Role(?:Binding)?$/.test(kind);
  return isRights ? RIGHTS_NAME.test(name) : NAME.test(name) && !/-(?:\.|$)/.test(name);
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

/** The problems of what makes it an object at all. The other rules count on these. */
export function identityProblems(content: JsonObject): readonly FieldProblem[] {
  const { apiVersion, kind, metadata, items } = content;
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items))
    return [problem(['kind'], 'is a list; write each item as a line, as steward manifest make does')];
  const found: FieldProblem[] = [];
  if (typeof apiVersion !== 'string' || !API_VERSION.test(apiVersion))
    found.push(problem(['apiVersion'], 'must be v1, or a group and a version such as apps/v1 or example.com/v1beta1'));
  if (typeof kind !== 'string' || !KIND.test(kind))
    found.push(
      problem(
        ['kind'],
        'must begin with an upper-case letter and have at most 63 letters and digits, such as Deployment',
      ),
    );
  if (!isObject(metadata)) return [...found, problem(['metadata'], 'must be an object with a name')];
  if (metadata['generateName'] !== undefined)
    return [...found, problem(['metadata', 'generateName'], 'is not allowed; an object needs a fixed name')];
  if (found.length === 0 && !isName(metadata['name'], kindOf(content)))
    found.push(
      problem(['metadata', 'name'], 'must be 1 to 253 lower-case letters, digits, "-" or ".", such as shop-web'),
    );
  return found;
}

function kindProblems(content: JsonObject): readonly FieldProblem[] {
  const kind = kindOf(content);
  if (kind === 'Pod') return [problem(['kind'], 'must not be Pod; pods belong into a workload, such as a Deployment')];
  if (kind === 'Job')
    return [problem(['kind'], 'must not be Job; a suspended CronJob with the label steward/hook is run as a step')];
  if (OWN_OBJECTS.has(objectName(content)))
    return [problem(['metadata', 'name'], 'is that of an object that Steward writes itself; choose another one')];
  return [];
}

function serverProblems({ metadata, status }: JsonObject): readonly FieldProblem[] {
  const written = SERVER_FIELDS.filter((name) => !saysNothing(valueAt(metadata, name)));
  return [
    ...written.map((name) => problem(['metadata', name], 'is written by the cluster; leave it out')),
    ...(saysNothing(valueAt(metadata, 'ownerReferences'))
      ? []
      : [problem(['metadata', 'ownerReferences'], 'is not allowed: the owner would have another uid in each cluster')]),
    ...(saysNothing(status) ? [] : [problem(['status'], 'is written by the cluster; leave it out')]),
  ];
}

function markProblems(metadata: unknown, path: readonly string[]): readonly FieldProblem[] {
  return ['labels', 'annotations'].flatMap((name) => {
    const marks = valueAt(metadata, name) ?? {};
    if (!isTextMap(marks))
      return [problem([...path, name], 'must be an object of strings; quote numbers and booleans')];
    return Object.keys(marks)
      .filter((key) => key.startsWith('steward/') && !MARKS.includes(key))
      .map((key) => problem([...path, name, key], `is not one of ${MARKS.join(', ')}`));
  });
}

/** The problems of values of marks; which are there is checked before. */
function markValueProblems(content: JsonObject): readonly FieldProblem[] {
  const wave = markOf(content, 'steward/wave');
  const hook = valueAt(content, 'metadata', 'labels', 'steward/hook');
  const found: FieldProblem[] = [];
  if (wave !== undefined && !/^\d{1,9}$/.test(wave))
    found.push(problem(['metadata'], 'has a steward/wave that is not a number from 0 to 999999999'));
  if (hook !== undefined && !isHook(content))
    found.push(problem(['metadata', 'labels', 'steward/hook'], 'is for CronJobs only'));
  else if (hook !== undefined && !HOOKS.some((one) => one === hook))
    found.push(problem(['metadata', 'labels', 'steward/hook'], `must be one of ${HOOKS.join(', ')}`));
  return found;
}

/** ConfigMaps and Secrets are checked here, so that no value of a Secret comes back in an answer of the cluster. */
function dataProblems(content: JsonObject): readonly FieldProblem[] {
  const names = isSecret(content) ? ['data', 'stringData'] : ['data', 'binaryData'];
  if (!isSecret(content) && kindOf(content) !== 'ConfigMap') return [];
  return names.flatMap((name) => {
    const data = content[name] ?? {};
    if (!isObject(data)) return [problem([name], 'must be an object of strings')];
    const isEncoded = name === 'binaryData' || (name === 'data' && isSecret(content));
    return Object.entries(data).flatMap(([key, value]) => {
      if (typeof value !== 'string') return [problem([name, key], 'must be a string; quote numbers and booleans')];
      return isEncoded && !BASE64.test(value.replaceAll(/[\r\n]/g, '')) ? [problem([name, key], 'must be base64')] : [];
    });
  });
}

/** The problems of an object whose identity is valid. */
export function objectProblems(content: JsonObject): readonly FieldProblem[] {
  const template = templatePath(content);
  const marks = [
    ...markProblems(content['metadata'], ['metadata']),
    ...(template === undefined
      ? []
      : markProblems(valueAt(content, ...template, 'metadata'), [...template, 'metadata'])),
  ];
  return [
    ...kindProblems(content),
    ...serverProblems(content),
    ...marks,
    ...(marks.length > 0 ? [] : markValueProblems(content)),
    ...dataProblems(content),
  ];
}
