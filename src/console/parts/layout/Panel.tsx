import { Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface PanelProps {
  readonly title?: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** Whether the content reaches the border, as tables do. */
  readonly isFlush?: boolean;
}

export function Panel({ title, aside, children, isFlush = false }: PanelProps) {
  return (
    <section className="panel" aria-label={title}>
      {title !== undefined && (
        <div className="head">
          <Title order={2}>{title}</Title>
          {aside}
        </div>
      )}
      <div className={isFlush ? 'scroll' : 'body'}>{children}</div>
    </section>
  );
}
