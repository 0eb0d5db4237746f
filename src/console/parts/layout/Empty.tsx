import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export interface EmptyProps {
  readonly title: string;
  /** What to do first. */
  readonly text: string;
  readonly action?: ReactNode;
}

/** Shown where there is nothing yet. */
export function Empty({ title, text, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" className="muted" maw={440} style={{ textWrap: 'balance' }}>
        {text}
      </Text>
      {action}
    </Stack>
  );
}
