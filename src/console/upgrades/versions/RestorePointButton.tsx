import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useOperation } from '../../api/queries.ts';
import { Problem } from '../../parts/layout/Problem.tsx';

/** Declares a restore point that was made outside Steward. A release past the point of no return needs one. */
export function RestorePointButton({ isDisabled }: { readonly isDisabled: boolean }) {
  const [isOpen, { open, close }] = useDisclosure();
  const [name, setName] = useState('');
  const declare = useOperation('/system/upgrades/declareRestorePoint', {
    done: 'The restore point is declared for 24 hours.',
    onDone: close,
    isQuiet: true,
  });
  return (
    <>
      <Button variant="default" onClick={open} disabled={isDisabled}>
        Declare a restore point
      </Button>
      <Modal opened={isOpen} onClose={close} title="Declare a restore point">
        <Stack gap="md">
          <Text size="sm">
            A release that passes the point of no return needs a backup from which everything can be restored. Make it
            with your own tools, then name it here. It counts for 24 hours.
          </Text>
          <TextInput
            label="Name and place of the backup"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            data-autofocus
          />
          {declare.error !== null && <Problem error={declare.error} />}
          <Group justify="flex-end">
            <Button onClick={() => declare.mutate({ name })} disabled={name === ''} loading={declare.isPending}>
              Declare
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
