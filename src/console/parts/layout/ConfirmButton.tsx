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
  /** Why it cannot be done now. An open dialog says so, too. */
  readonly refusal?: string | undefined;
  readonly onConfirm: () => void;
}

/** A button for what cannot be taken back easily: it asks first. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { children, title, text, typed, isInRow = false, refusal, onConfirm, ...button } = props;
  const [isOpen, { open, close }] = useDisclosure();
  const [given, setGiven] = useState('');
  const canConfirm = refusal === undefined && (typed === undefined || given === typed);
  const confirm = (): void => {
    close();
    setGiven('');
    onConfirm();
  };
  const Trigger = isInRow ? RowButton : Button;
  const closed = { 'data-disabled': true, 'aria-disabled': true, 'data-hint': refusal, onClick: undefined };
  return (
    <>
      <Trigger {...(isInRow ? {} : { variant: 'default' })} {...button} onClick={open} {...(refusal && closed)}>
        {children}
      </Trigger>
      <Modal opened={isOpen} onClose={close} title={title}>
        <Stack gap="md">
          <Text size="sm">{refusal ?? text}</Text>
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
              Back
            </Button>
            <Button color="red" onClick={confirm} disabled={!canConfirm}>
              {children}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
