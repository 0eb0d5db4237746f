import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { PROJECT } from '../run/project.ts';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
}

function read(name: string): string {
  return readFileSync(join(PROJECT, 'deploy/monitoring', name), 'utf8');
}

export const ALERTS_FILE = read('alerts.yaml');

export function alertRules(): readonly AlertRule[] {
  const { groups } = load(ALERTS_FILE) as { readonly groups: readonly { readonly rules: readonly AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export function dashboard(): Dashboard {
  return JSON.parse(read('dashboard.json')) as Dashboard;
}

const VARIABLES: Readonly<Record<string, string>> = {
  $__rate_interval: '5m',
  $job: 'steward',
  $instance: '.*',
};

/** Every expression of the dashboard, with values in place of its variables. */
export function dashboardExpressions(): readonly string[] {
  const { panels, templating } = dashboard();
  const lists = templating.list.flatMap(({ query }) => /^label_values\((.*), \w+\)$/.exec(query)?.[1] ?? []);
  const targets = panels.flatMap(({ targets: all = [] }) => all.map(({ expr }) => expr));
  return [...lists, ...targets].map((expr) => expr.replaceAll(/\$\w+/g, (name) => VARIABLES[name] ?? name));
}

/** The anchors of the headings of a page, as web pages of repositories have them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(PROJECT, page), 'utf8');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}
