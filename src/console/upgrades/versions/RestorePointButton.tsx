import { Button, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { FormModal } from '../../parts/form/FormModal.tsx';

function RestorePointForm({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const declare = useOperation(api.upgrades.declareRestorePoint, {
    done: 'The restore point is declared for 24 hours.',
    onDone: onClose,
    isQuiet: true,
  });
  return (
    <FormModal
      title="Declare a restore point"
      onClose={onClose}
      action="Declare"
      isBusy={declare.isPending}
      canSubmit={name !== ''}
      error={declare.error}
      onSubmit={() => declare.mutate({ name })}
    >
      <Text size="sm">
        A release that passes the point of no return needs a backup from which everything can be restored. Make it with
        your own tools, then name it here. It counts for 24 hours.
      </Text>
      <TextInput
        label="Name and place of the backup"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
    </FormModal>
  );
}

/** Declares a restore point that was made outside Steward. A release past the point of no return needs one. */
export function RestorePointButton({ isDisabled }: { readonly isDisabled: boolean }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open} disabled={isDisabled}>
        Declare a restore point
      </Button>
      {isOpen && <RestorePointForm onClose={close} />}
    </>
  );
}
