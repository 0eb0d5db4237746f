// The label selector of Steward's workloads, as the API server reads it.

export type Labels = Readonly<Record<string, string>>;

/** One requirement. Without values, the label must be there; `isNot` reverses it. */
interface Requirement {
  readonly key: string;
  readonly values: readonly string[] | undefined;
  readonly isNot: boolean;
  /** The only value that fulfils it. */
  readonly only?: string | undefined;
}

const EQUALITY = /^([^\s=!,()]+)\s*(==?|!=)\s*([^\s=!,()]*)$/;
const SET = /^([^\s=!,()]+)\s+(in|notin)\s*\(([^()]*)\)$/;

function requirementOf(text: string): Requirement {
  const equality = EQUALITY.exec(text);
  if (equality) {
    const [, key = '', operator, value = ''] = equality;
    const isNot = operator === '!=';
    return { key, values: [value], isNot, only: isNot ? undefined : value };
  }
  const set = SET.exec(text);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    return { key, values: list.split(',').map((value) => value.trim()), isNot: operator === 'notin' };
  }
  return { key: text.replace(/^!\s*/, ''), values: undefined, isNot: text.startsWith('!') };
}

function requirementsOf(selector: string): readonly Requirement[] {
  const parts = selector.split(/,(?![^(]*\))/).map((part) => part.trim());
  return parts.filter((part) => part !== '').map(requirementOf);
}

function isFulfilled({ key, values, isNot }: Requirement, labels: Labels): boolean {
  const value = labels[key];
  const has = value !== undefined && (values === undefined || values.includes(value));
  return has !== isNot;
}

/** The labels with which an object is selected, by adding what it lacks; undefined if that is not enough. */
export function selectedLabels(selector: string, labels: Labels): Labels | undefined {
  const requirements = requirementsOf(selector);
  const added = requirements.flatMap(({ key, only }) =>
    only === undefined || labels[key] !== undefined ? [] : [[key, only] as const],
  );
  const all = { ...labels, ...Object.fromEntries(added) };
  return requirements.every((one) => isFulfilled(one, all)) ? all : undefined;
}
