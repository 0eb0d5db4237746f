import type { ButtonProps } from '@mantine/core';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { RowButton } from './RowButton.tsx';

export interface ConfirmButtonProps extends ButtonProps {
  readonly children: string;
  readonly title: string;
  /** What happens, in a sentence or two. */
  readonly text: string;
  /** The word that must be typed, where something cannot be undone. */
  readonly typed?: string;
  readonly isInRow?: boolean;
  readonly onConfirm: () => void;
}

/** A button for what cannot be taken back easily: it asks first. */
export function ConfirmButton({ children, title, text, typed, isInRow, onConfirm, ...button }: ConfirmButtonProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const [given, setGiven] = useState('');
  const confirm = (): void => {
    close();
    setGiven('');
    onConfirm();
  };
  return (
    <>
      {isInRow ? (
        <RowButton {...button} onClick={open}>
          {children}
        </RowButton>
      ) : (
        <Button variant="default" {...button} onClick={open}>
          {children}
        </Button>
      )}
      <Modal opened={isOpen} onClose={close} title={title}>
        <Stack gap="md">
          <Text size="sm">{text}</Text>
          {typed !== undefined && (
            <TextInput
              label={`Type ${typed} to confirm`}
              value={given}
              onChange={({ currentTarget }) => setGiven(currentTarget.value)}
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red" onClick={confirm} disabled={typed !== undefined && given !== typed}>
              {children}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
