import { Button, Group, Text } from '@mantine/core';
import { listed } from '../../../foundation/text/listed.ts';
import { printable } from '../../../foundation/text/printable.ts';

function namesText(names: readonly string[]): string {
  return listed(names.map(printable));
}

export interface AcknowledgeProps {
  /** Workloads and objects whose other managers would revert the plan. */
  readonly names: readonly string[];
  readonly onAcknowledge: (names: readonly string[]) => void;
}

/** Plans again as if the other managers of some workloads and objects were paused. */
export function Acknowledge({ names, onAcknowledge }: AcknowledgeProps) {
  return (
    <div className="nextAction">
      <Button variant="default" size="xs" onClick={() => onAcknowledge(names)}>
        Acknowledge and plan again
      </Button>
      <Text size="xs" className="muted">
        Counts the other managers of {namesText(names)} as paused. Do this only if you know that they revert nothing.
      </Text>
    </div>
  );
}

/** Says whose other managers the plan counts as paused. */
export function Acknowledged({ names, onAcknowledge }: AcknowledgeProps) {
  if (names.length === 0) return undefined;
  return (
    <Group mt="xs" className="nextAction">
      <Text size="sm">The other managers of {namesText(names)} count as paused.</Text>
      <Button variant="default" size="xs" onClick={() => onAcknowledge([])}>
        Take back
      </Button>
    </Group>
  );
}
