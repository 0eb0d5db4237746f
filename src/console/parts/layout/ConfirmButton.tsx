import type { ButtonProps } from '@mantine/core';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { showFailure, useIsShown } from '../../api/queries.ts';
import { Problem } from './Problem.tsx';
import { RowButton } from './RowButton.tsx';

interface Question {
  /** What happens, in a sentence or two. */
  readonly text: string;
  /** The word that must be typed, where something cannot be undone. */
  readonly typed?: string;
  /** Why it cannot be done now. An open dialog says so, too. */
  readonly refusal?: string | undefined;
  /** Carries it out. The operation is quiet: the dialog shows its failure. */
  readonly onConfirm: () => Promise<unknown>;
}

interface ConfirmationProps extends Question {
  readonly action: string;
  readonly onClose: () => void;
}

/** Carries out what the dialog asks for. A failure after the dialog was closed is a notification. */
function useConfirmation({ onConfirm, onClose }: ConfirmationProps) {
  const isShown = useIsShown();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      if (isShown()) onClose();
    } catch (reason) {
      const failure = reason instanceof Error ? reason : new Error(String(reason));
      if (isShown()) setError(failure);
      else showFailure(failure);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, confirm };
}

/** The content of the dialog. It stays until the operation is done, so that a failure leaves what was typed. */
function Confirmation(props: ConfirmationProps) {
  const { text, typed, refusal, action, onClose } = props;
  const [given, setGiven] = useState('');
  const { isBusy, error, confirm } = useConfirmation(props);
  const canConfirm = refusal === undefined && (typed === undefined || given === typed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canConfirm && !isBusy) void confirm();
  };
  return (
    <Stack gap="md" component="form" onSubmit={submit}>
      <Text size="sm">{refusal ?? text}</Text>
      {typed !== undefined && (
        <TextInput
          label={`Type ${typed} to confirm`}
          value={given}
          onChange={({ currentTarget }) => setGiven(currentTarget.value)}
          data-autofocus
        />
      )}
      {error !== null && <Problem error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Back
        </Button>
        <Button
          color="red"
          type="submit"
          disabled={!canConfirm}
          loading={isBusy}
          data-autofocus={canConfirm || undefined}
        >
          {action}
        </Button>
      </Group>
    </Stack>
  );
}

export interface ConfirmButtonProps extends ButtonProps, Question {
  readonly children: string;
  readonly title: string;
  readonly isInRow?: boolean;
}

/** A button for what cannot be taken back easily: it asks first. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { children, title, text, typed, isInRow = false, refusal, onConfirm, ...button } = props;
  const [isOpen, { open, close }] = useDisclosure();
  const Trigger = isInRow ? RowButton : Button;
  const closed = { 'data-disabled': true, 'aria-disabled': true, 'data-hint': refusal, onClick: undefined };
  const question = { text, refusal, onConfirm, ...(typed !== undefined && { typed }) };
  return (
    <>
      <Trigger {...(isInRow ? {} : { variant: 'default' })} {...button} onClick={open} {...(refusal && closed)}>
        {children}
      </Trigger>
      <Modal opened={isOpen} onClose={close} title={title}>
        <Confirmation {...question} action={children} onClose={close} />
      </Modal>
    </>
  );
}
