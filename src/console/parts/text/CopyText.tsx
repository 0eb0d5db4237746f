import { ActionIcon, CopyButton, Group, Tooltip } from '@mantine/core';
import { Icon } from './Icon.tsx';

export interface CopyTextProps {
  readonly text: string;
  /** What is copied, such as `the SOAP address`. */
  readonly what: string;
  readonly isShown?: boolean;
}

/** A text that can be copied with one click. */
export function CopyText({ text, what, isShown = true }: CopyTextProps) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      {isShown && <code>{text}</code>}
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon size="sm" onClick={copy} aria-label={copied ? 'Copied' : `Copy ${what}`}>
              <Icon name={copied ? 'check' : 'copy'} size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
