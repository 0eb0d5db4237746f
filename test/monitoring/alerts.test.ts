// The alert rules and the dashboard in deploy/monitoring, against the metrics of a server and with promtool.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  ALERTS_FILE,
  alertRules,
  anchorsOf,
  dashboard,
  dashboardExpressions,
} from '../support/monitoring/monitoringFiles.ts';
import type { Exposed } from '../support/monitoring/promql.ts';
import { exposedIn, unknownNames, usageOf } from '../support/monitoring/promql.ts';
import { hasPromtool, promtool } from '../support/monitoring/promtool.ts';
import { PROJECT } from '../support/run/project.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import type { AlertCase } from './alertCase.ts';
import { ALERT_CASES } from './alertCases.ts';

const rules = alertRules();
const names = [...new Set(rules.map(({ alert }) => alert))];

describe('[DEC82] the expressions of the alerts and the dashboard', () => {
  let exposed: Exposed;
  beforeAll(async () => {
    const steward = await startInProcess({ certificateExpiresAt: () => 0 });
    await steward.get('/healthz');
    exposed = exposedIn((await steward.get('/metrics')).text);
    await steward.close();
  });

  test('use only metrics and labels that a server has', () => {
    const expressions = [...rules.map(({ expr }) => expr), ...dashboardExpressions()];
    expect(expressions.length).toBeGreaterThan(50);
    expect(expressions.flatMap((expr) => unknownNames(expr, exposed).map((problem) => [problem, expr]))).toEqual([]);
  });

  test('show every metric of Steward on the dashboard', () => {
    const shown = new Set(
      dashboardExpressions().flatMap((expr) => usageOf(expr).selectors.map(({ metric }) => metric)),
    );
    const own = [...exposed.keys()].filter((name) => name.startsWith('steward_') && !/_(sum|count)$/.test(name));
    expect(own.filter((name) => !shown.has(name))).toEqual([]);
  });

  test.each([
    ['a metric that no server has', 'sum(steward_nothing) > 1', 'there is no metric steward_nothing'],
    ['a label that the metric lacks', 'steward_ready{state="x"} == 0', 'steward_ready has no label state'],
    [
      'a value that the label never has',
      'sum(rate(steward_webhook_attempts_total{outcome=~"failed|broken"}[5m]))',
      'steward_webhook_attempts_total never has outcome="broken"',
    ],
    ['a grouping by an unknown label', 'max by (job, colour) (steward_ready)', 'no metric of it has the label colour'],
  ])('the guard finds %s', (_what, expression, problem) => {
    expect(unknownNames(expression, exposed)).toEqual([problem]);
  });
});

describe('[DEC82] the alerts', () => {
  test('every alert has a severity, and says what happened and what to do', () => {
    for (const { labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels['severity']);
      expect(Object.keys(annotations)).toEqual(['summary', 'description', 'action', 'runbook']);
      for (const text of [annotations['summary'], annotations['action']]) expect(text).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('every alert leads to its section in docs/operations.md', () => {
    const anchors = anchorsOf('docs/operations.md');
    for (const { alert, annotations } of rules) {
      expect(annotations['runbook']).toBe(`docs/operations.md#${alert.toLowerCase()}`);
      expect([...anchors]).toContain(alert.toLowerCase());
    }
  });

  test('every section about an alert belongs to one', () => {
    const anchors = [...anchorsOf('docs/operations.md')].filter((anchor) => /^steward[a-z]+$/.test(anchor));
    expect(anchors.toSorted()).toEqual(names.map((name) => name.toLowerCase()).toSorted());
  });

  test('every rule has a case in which it fires and one in which it does not', () => {
    expect(ALERT_CASES.map(({ alert }) => alert).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
    expect(ALERT_CASES.filter(({ quiet }) => quiet.length === 0)).toEqual([]);
  });
});

test('[DEC82] the panels of the dashboard have a title, a description and a legend, and do not overlap', () => {
  const { panels } = dashboard();
  const withTargets = panels.filter(({ targets }) => targets !== undefined);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, description = '', targets = [] } of withTargets) {
    expect(title).not.toBe('');
    expect(description).toMatch(/\.$/);
    expect(targets.filter(({ legendFormat }) => legendFormat === '')).toEqual([]);
  }
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

/** What `promtool test rules` expects in the situations of a case. `index` counts the rules with the same name. */
function ruleTests({ alert, fires, quiet }: AlertCase, index: number): readonly object[] {
  const rule = rules.filter((one) => one.alert === alert)[index];
  const expected = {
    exp_labels: { ...fires.labels, ...rule?.labels },
    exp_annotations: { ...rule?.annotations, description: fires.description },
  };
  const situations = [{ of: fires, alerts: [expected] }, ...quiet.map((of) => ({ of, alerts: [] }))];
  return situations.map(({ of, alerts }) => ({
    interval: '1m',
    input_series: Object.entries(of.series).map(([series, values]) => ({ series, values })),
    alert_rule_test: [{ eval_time: `${of.at}m`, alertname: alert, exp_alerts: alerts }],
  }));
}

/** Runs the cases with promtool. Returns what it reports; empty if every alert fires when it should, and only then. */
function testRules(cases: readonly AlertCase[]): Promise<string> {
  const alerts = [...new Set(cases.map(({ alert }) => alert))];
  // promtool evaluates all rules of a file in every minute of a test, so each alert gets a file with its own rules.
  const files = alerts.flatMap((name) => {
    const own = { name, rules: rules.filter(({ alert }) => alert === name) };
    const tests = cases.filter(({ alert }) => alert === name).flatMap(ruleTests);
    return [
      [`${name}.yaml`, JSON.stringify({ groups: [own] })],
      [`${name}.test.yaml`, JSON.stringify({ rule_files: [`${name}.yaml`], evaluation_interval: '1m', tests })],
    ];
  });
  return promtool(['test', 'rules', ...alerts.map((name) => `${name}.test.yaml`)], Object.fromEntries(files));
}

describe.skipIf(!hasPromtool())('[DEC82] promtool (Debian: prometheus)', () => {
  test('accepts the alert rules', async () => {
    expect(
      await promtool(['check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yaml'], { 'alerts.yaml': ALERTS_FILE }),
    ).toBe('');
  });

  test('accepts the expressions of the dashboard', async () => {
    const recorded = dashboardExpressions().map((expr, n) => ({ record: `dashboard:expression:${n}`, expr }));
    const file = JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] });
    expect(await promtool(['check', 'rules', 'dashboard.yaml'], { 'dashboard.yaml': file })).toBe('');
  });

  test('accepts the scrape configurations of docs/operations.md', async () => {
    const page = readFileSync(join(PROJECT, 'docs/operations.md'), 'utf8');
    const examples = [...page.matchAll(/^```yaml\n(scrape_configs:.*?)^```$/gms)].map(([, text = '']) => text);
    expect(examples.length).toBeGreaterThan(0);
    for (const text of examples)
      expect(await promtool(['check', 'config', '--syntax-only', 'prometheus.yaml'], { 'prometheus.yaml': text })).toBe(
        '',
      );
  });

  test('finds that every alert fires when it should, and only then', async () => {
    expect(await testRules(ALERT_CASES)).toBe('');
  });

  test('finds an alert that does not fire, one that should not fire, and another description', async () => {
    const [first, ...others] = ALERT_CASES;
    if (first === undefined) throw new Error('there is no case');
    for (const broken of [
      { ...first, fires: { ...first.fires, at: 0 } },
      { ...first, quiet: [first.fires] },
      { ...first, fires: { ...first.fires, description: 'Something else.' } },
    ])
      expect(await testRules([broken, ...others.slice(0, 1)])).toContain(`alertname: ${first.alert}`);
  });
});
