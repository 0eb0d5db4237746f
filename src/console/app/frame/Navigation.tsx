import { NavLink, Text } from '@mantine/core';
import { Link, useRoute } from 'wouter';
import { Icon } from '../../parts/text/Icon.tsx';
import type { Page } from '../pages.tsx';
import { routeOf, useAllowedPages } from '../pages.tsx';

function Entry({ page, onSelect }: { readonly page: Page; readonly onSelect: () => void }) {
  const { path, title, icon } = page;
  const [isActive] = useRoute(routeOf(page));
  return (
    <NavLink
      component={Link}
      href={path}
      label={title}
      leftSection={<Icon name={icon} />}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      onClick={onSelect}
    />
  );
}

export function Navigation({ onSelect }: { readonly onSelect: () => void }) {
  const allowed = useAllowedPages();
  return (
    <nav aria-label="Pages">
      {(['Deployment', 'Administration'] as const).map((group) => {
        const pages = allowed.filter((one) => one.group === group);
        return pages.length === 0 ? undefined : (
          <div key={group} className="navGroup">
            <Text size="xs" className="muted" px="sm" pb={4}>
              {group}
            </Text>
            {pages.map((page) => (
              <Entry key={page.path} page={page} onSelect={onSelect} />
            ))}
          </div>
        );
      })}
    </nav>
  );
}
