import { ActionIcon, AppShell, Burger, Group, Loader, ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { spotlight } from '@mantine/spotlight';
import { Suspense, useEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { Icon } from '../../parts/text/Icon.tsx';
import { Logo } from '../../parts/text/Logo.tsx';
import { Boundary } from './Boundary.tsx';
import { useFocusKeeper } from './focusKeeper.ts';
import { Navigation } from './Navigation.tsx';
import { NoPage } from './NoPage.tsx';
import { Notices } from './Notices.tsx';
import { routeOf, useAllowedPages } from '../pages.tsx';
import { PageFailure } from './PageFailure.tsx';
import { Palette } from './Palette.tsx';
import { useInputWatch } from '../update/unsavedInput.ts';
import { UserMenu } from './UserMenu.tsx';

const HEADER = 48;
const NAVBAR = 208;
const SHORTCUT = /Mac|iP/.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

/** A page that a link opens begins at its top. Back and forward are left to the browser. */
function useTopOfPage(): void {
  useEffect(() => {
    const toTop = (): void => globalThis.scrollTo(0, 0);
    // The router sends this event.
    globalThis.addEventListener('pushState', toTop);
    return () => globalThis.removeEventListener('pushState', toTop);
  }, []);
}

function Pages() {
  useTopOfPage();
  useInputWatch();
  const [path] = useLocation();
  const allowed = useAllowedPages();
  return (
    <Boundary path={path} failure={(error) => <PageFailure error={error} />}>
      <Suspense fallback={<Loader size="sm" />}>
        <Switch>
          {allowed.map((page) => (
            <Route key={page.path} path={routeOf(page)}>
              <page.component />
            </Route>
          ))}
          <Route>
            <NoPage />
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  );
}

/** The frame around every page. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  useFocusKeeper();
  return (
    <AppShell
      header={{ height: HEADER }}
      navbar={{ width: NAVBAR, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      <a href="#content" className="skip">
        Skip to the content
      </a>
      <AppShell.Header className="topBar">
        <Group gap="sm">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
          <Logo />
        </Group>
        <Group gap="xs">
          <UnstyledButton className="finder" onClick={spotlight.open} visibleFrom="xs">
            <Icon name="search" size={14} />
            <Text size="sm" className="muted">
              Go to …
            </Text>
            <kbd>{SHORTCUT}</kbd>
          </UnstyledButton>
          <ActionIcon onClick={spotlight.open} hiddenFrom="xs" aria-label="Go to …">
            <Icon name="search" />
          </ActionIcon>
          <UserMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <ScrollArea>
          <Navigation onSelect={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className="content">
          <Notices />
          <Pages />
        </div>
      </AppShell.Main>
      <Palette />
    </AppShell>
  );
}
