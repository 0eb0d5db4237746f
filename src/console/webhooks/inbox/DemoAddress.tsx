import { Button, Group, Text } from '@mantine/core';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';

export interface DemoAddressProps {
  readonly name: string;
  readonly onChoose: (hookUrl: string) => void;
}

/** Offers the demo receiver as the address of a new webhook. */
export function DemoAddress({ name, onChoose }: DemoAddressProps) {
  const receiver = useResource(api.demoReceiver.receiver);
  if (receiver.data === undefined) return undefined;
  const address = `${receiver.data.url}/receive/${encodeURIComponent(name.trim().slice(0, 30) || 'mine')}`;
  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => onChoose(address)}>
        Use the demo receiver
      </Button>
      <Text size="xs" className="muted mono">
        {address}
      </Text>
    </Group>
  );
}
