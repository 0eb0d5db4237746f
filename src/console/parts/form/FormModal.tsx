import { Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Problem } from '../layout/Problem.tsx';

export interface FormModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The word on the button that sends the form. */
  readonly action: string;
  readonly onSubmit: () => void;
  readonly isBusy: boolean;
  readonly canSubmit?: boolean;
  readonly isDangerous?: boolean;
  /** Why the server has refused the form. */
  readonly error: Error | null;
  /** Shown instead of `error`, where more can be said. */
  readonly problem?: ReactNode;
  readonly size?: string;
}

/** On a small screen, a failure is below the end of a long form. */
function bringIntoSight(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

/** A form in a dialog. Its focus begins on the field with `data-autofocus`, or on the button that sends it. It is open as long as it is on the page. A refusal is shown beside the fields, and the input stays. */
export function FormModal(props: FormModalProps) {
  const { title, onClose, children, action, onSubmit, isBusy, canSubmit = true, isDangerous = false } = props;
  const { error, problem, size = 'md' } = props;
  const shown = problem || (error === null ? undefined : <Problem error={error} />);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canSubmit && !isBusy) onSubmit();
  };
  return (
    <Modal opened onClose={onClose} title={title} size={size}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          {children}
          {shown && <div ref={bringIntoSight}>{shown}</div>}
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={!canSubmit}
              data-autofocus={canSubmit || undefined}
              {...(isDangerous ? { color: 'red' } : undefined)}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
