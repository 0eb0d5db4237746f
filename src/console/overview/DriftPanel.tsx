import { List, Text } from '@mantine/core';
import { Panel } from '../parts/layout/Panel.tsx';
import { ServerText } from '../api/ServerText.tsx';
import { StateLabel } from '../parts/text/StateLabel.tsx';
import type { Overview } from './answers.ts';

const MOST = 8;

/** Why there is drift, in the words of the server: a failed job of Steward explains some of it. */
function causeIn(attention: Overview['attention']): string {
  const causes = attention
    .filter(({ kind }) => kind === 'drift' || kind === 'versionIncomplete')
    .map(({ cause }) => cause);
  return causes.length === 0 ? 'These workloads do not run the installed version.' : causes.join(' ');
}

/** Workloads that run something else than the installed version, and containers of it that no workload has. */
export function DriftPanel({ overview: { drift, attention } }: { readonly overview: Overview }) {
  if (drift === null) return undefined;
  const label =
    drift.length === 0 ? (
      <StateLabel tone="good" text="None" />
    ) : (
      <StateLabel tone="warn" text={`${drift.length} found`} />
    );
  return (
    <Panel title="Drift" aside={label}>
      <Text size="sm" className="muted">
        {drift.length === 0 ? 'Every workload runs the installed version.' : <ServerText text={causeIn(attention)} />}
      </Text>
      {drift.length > 0 && (
        <List size="sm" mt="xs">
          {drift.slice(0, MOST).map((name) => (
            <List.Item key={name}>
              <code>{name}</code>
            </List.Item>
          ))}
          {drift.length > MOST && <List.Item>and {drift.length - MOST} more</List.Item>}
        </List>
      )}
    </Panel>
  );
}
