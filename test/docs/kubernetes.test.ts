import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RIGHTS, roleOf } from '../../src/drivers/kubernetes/preflight/rights.ts';
import { DEFAULT_SELECTOR, LABELS } from '../../src/drivers/kubernetes/workloads/labels.ts';
import { PAUSED_MARKS, RECONCILED_MARKS, managersOf } from '../../src/drivers/kubernetes/workloads/managers.ts';
import { HOOKS } from '../../src/model/hook.ts';
import { SETTINGS } from '../../src/service/settings/settings.ts';
import { PROJECT } from '../support/run/project.ts';

const page = readFileSync(join(PROJECT, 'docs/kubernetes.md'), 'utf8');

describe('[UPG18] docs/kubernetes.md', () => {
  test('has the Role with exactly the rights that the plan asks for', () => {
    expect(page).toContain(`\`\`\`yaml\n${roleOf(RIGHTS, 'shop')}\n\`\`\``);
  });

  test('names every label that the driver reads, every hook, and the default of the selector', () => {
    const { managedBy: _, ...read } = LABELS;
    for (const label of Object.values(read)) expect(page).toContain(`| \`${label}`);
    for (const hook of HOOKS) expect(page).toContain(`\`${hook}\``);
    expect(SETTINGS.selector.defaultValue).toBe(DEFAULT_SELECTOR);
  });

  test('names every manager that reconciles in a row that says that it fails the plan', () => {
    for (const [, name] of RECONCILED_MARKS) expect(page).toMatch(new RegExp(String.raw`\| ${name} \| .* \| fails \|`));
    for (const [mark, , name] of PAUSED_MARKS)
      expect(page).toMatch(new RegExp(String.raw`\| ${name} \| .* \| fails \| .*\`${mark}=`));
  });

  test('names every tool that writes once, and the driver counts each of these names as such', () => {
    const row = page.split('\n').find((line) => line.startsWith('| `kubectl`')) ?? '';
    const names = [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    expect(names).toHaveLength(11);
    for (const manager of names) {
      const fields = { manager, operation: 'Update', fieldsV1: { 'f:spec': { 'f:image': {} } } };
      const object = { metadata: { name: 'web', managedFields: [fields] } };
      expect(managersOf(object, new Set())).toEqual([{ name: manager, reconciles: false }]);
    }
  });
});
