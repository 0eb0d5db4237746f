import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { Link } from 'wouter';

export interface Crumb {
  readonly to: string;
  readonly text: string;
}

export interface PageHeadProps {
  readonly title: string;
  /** What lies above the page, the nearest last. */
  readonly crumbs?: readonly Crumb[];
  /** A state or a count, beside the title. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
}

export function PageHead({ title, crumbs = [], aside, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Steward`;
  }, [title]);
  return (
    <header className="pageHead">
      <div>
        {crumbs.length > 0 && (
          <nav aria-label="Breadcrumbs">
            <ol className="crumbs">
              {crumbs.map(({ to, text }) => (
                <li key={to}>
                  <Link href={to} className="plain">
                    {text}
                  </Link>
                </li>
              ))}
            </ol>
          </nav>
        )}
        <Group gap="sm">
          <Title order={1} className="pageTitle">
            {title}
          </Title>
          {aside}
        </Group>
      </div>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </header>
  );
}
