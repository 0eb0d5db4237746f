// Reads which metrics and labels an expression of PromQL uses. promtool checks the syntax; this finds names that no server has.

export interface LabelMatcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly LabelMatcher[];
}

export interface Usage {
  readonly selectors: readonly Selector[];
  /** Labels that an aggregation or a comparison groups by. */
  readonly groupedBy: readonly string[];
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[a-zA-Z_:][\w:]*|[=!]~|[!=<>]=|\d[\w.]*|[^\s\w"]/g;
const NAME = /^[a-zA-Z_:]/;
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);
const AGGREGATIONS = new Set(['sum', 'min', 'max', 'avg', 'count', 'topk', 'bottomk', 'quantile', 'group']);

/** Reads the tokens from `start` to the one that closes, without commas. */
function listFrom(tokens: readonly string[], start: number, close: string): readonly string[] {
  const end = tokens.indexOf(close, start);
  return tokens.slice(start, end).filter((token) => token !== ',');
}

function matchersFrom(tokens: readonly string[], start: number): readonly LabelMatcher[] {
  const found: LabelMatcher[] = [];
  const list = listFrom(tokens, start, '}');
  for (let n = 0; n < list.length; n += 3)
    found.push({ label: list[n] ?? '', operator: list[n + 1] ?? '', value: (list[n + 2] ?? '').slice(1, -1) });
  return found;
}

/** Finds the selectors and the groupings of an expression. */
export function usageOf(expression: string): Usage {
  const tokens: readonly string[] = expression.match(TOKEN) ?? [];
  const selectors: Selector[] = [];
  const groupedBy: string[] = [];
  let skipTo = 0;
  for (const [n, token] of tokens.entries()) {
    if (n < skipTo || !NAME.test(token) || OPERATORS.has(token) || AGGREGATIONS.has(token)) continue;
    const next = tokens[n + 1];
    if (GROUPING.has(token)) {
      groupedBy.push(...listFrom(tokens, n + 2, ')'));
      skipTo = tokens.indexOf(')', n);
    } else if (next === '{') {
      selectors.push({ metric: token, matchers: matchersFrom(tokens, n + 2) });
      skipTo = tokens.indexOf('}', n);
    } else if (next !== '(') selectors.push({ metric: token, matchers: [] });
  }
  return { selectors, groupedBy };
}

/** The metrics that a server exposes: for each sample name, the values of each of its labels. */
export type Exposed = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/;

/** Reads the text that /metrics answers. */
export function exposedIn(text: string): Exposed {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = SAMPLE.exec(line) ?? [];
    if (name === undefined) continue;
    const known = found.get(name) ?? new Map<string, Set<string>>();
    found.set(name, known);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      known.set(label, (known.get(label) ?? new Set()).add(value));
  }
  return found;
}

/** Prometheus adds these labels to everything that it scrapes. */
const TARGET_LABELS = new Set(['job', 'instance']);
/** Prometheus makes these metrics itself. */
const OF_PROMETHEUS = new Set(['up']);
/** The values of these labels depend on the requests that a server gets. */
const OPEN_LABELS = new Set(['route', 'method', 'status', 'version', 'le']);

function matcherProblem({ label, operator, value }: LabelMatcher, labels: ReadonlyMap<string, ReadonlySet<string>>) {
  if (TARGET_LABELS.has(label)) return undefined;
  const values = labels.get(label);
  if (values === undefined) return `has no label ${label}`;
  const isOpen = OPEN_LABELS.has(label) || operator.startsWith('!');
  const missing = value.split('|').filter((one) => !values.has(one));
  return isOpen || missing.length === 0 ? undefined : `never has ${label}="${missing.join('|')}"`;
}

/** Names of metrics and labels in an expression that the server does not expose. */
export function unknownNames(expression: string, exposed: Exposed): readonly string[] {
  const { selectors, groupedBy } = usageOf(expression);
  const problems = selectors.flatMap(({ metric, matchers }) => {
    if (OF_PROMETHEUS.has(metric)) return [];
    const labels = exposed.get(metric);
    if (labels === undefined) return [`there is no metric ${metric}`];
    return matchers.flatMap((matcher) => {
      const problem = matcherProblem(matcher, labels);
      return problem === undefined ? [] : [`${metric} ${problem}`];
    });
  });
  const grouped = groupedBy.filter(
    (label) => !TARGET_LABELS.has(label) && !selectors.some(({ metric }) => exposed.get(metric)?.has(label)),
  );
  return [...problems, ...grouped.map((label) => `no metric of it has the label ${label}`)];
}
