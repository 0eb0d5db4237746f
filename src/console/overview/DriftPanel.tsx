import { List, Text } from '@mantine/core';
import { Panel } from '../parts/layout/Panel.tsx';
import { StateLabel } from '../parts/text/StateLabel.tsx';

const MOST = 8;

/** Workloads that run something else than the installed version, and containers of it that no workload has. */
export function DriftPanel({ drift }: { readonly drift: readonly string[] | null }) {
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
        {drift.length === 0
          ? 'Every workload runs the installed version.'
          : 'These workloads run other images than those of the installed version, or it has containers that no workload has. Find out why; the plan of the next upgrade says what can be done.'}
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
