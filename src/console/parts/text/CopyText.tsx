import { ActionIcon, Box, Group, Popover, Textarea, Tooltip } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import { copyText } from './copyText.ts';
import { Icon } from './Icon.tsx';

const SHOW_DONE_MS = 1500;

export interface CopyTextProps {
  readonly text: string;
  /** What is copied, such as `the SOAP address`. */
  readonly what: string;
  readonly isShown?: boolean;
}

function useCopy(text: string) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  const reset = (): void => setState('idle');
  const { start } = useTimeout(reset, SHOW_DONE_MS);
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(text);
    setState(isCopied ? 'copied' : 'refused');
    if (isCopied) start();
  };
  return { state, copy, reset };
}

/** A text that can be copied with one click. If the browser does not copy it, the text is selected, so that a key does. */
export function CopyText({ text, what, isShown = true }: CopyTextProps) {
  const { state, copy, reset } = useCopy(text);
  const label = state === 'copied' ? 'Copied' : `Copy ${what}`;
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      {isShown && <code>{text}</code>}
      <Popover opened={state === 'refused'} onChange={reset} trapFocus withRoles={false} width={360}>
        <Popover.Target>
          <Box display="inline-flex">
            <Tooltip label={label}>
              <ActionIcon size="sm" onClick={() => void copy()} aria-label={label}>
                <Icon name={state === 'copied' ? 'check' : 'copy'} size={14} />
              </ActionIcon>
            </Tooltip>
          </Box>
        </Popover.Target>
        <Popover.Dropdown>
          <Textarea
            label="This browser does not let the page copy. The text is selected: press Ctrl+C or ⌘C."
            value={text}
            readOnly
            autosize
            maxRows={6}
            classNames={{ input: 'mono' }}
            onFocus={({ currentTarget }) => currentTarget.select()}
            data-autofocus
            // Escape closes this only, and not the dialog with a secret that is shown once.
            data-mantine-stop-propagation="true"
          />
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
