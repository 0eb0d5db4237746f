import { useDisclosure, useHotkeys } from '@mantine/hooks';
import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { indexOf, matching } from '../../catalog/catalogIndex.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import { serviceLink } from '../../links.ts';
import { useAllowedPages } from '../pages.tsx';

const SHOWN_SERVICES = 8;
const NAME = 'Go to a page or a service';

/** The pages whose names have what is typed. */
function usePages(search: string): readonly SpotlightActionData[] {
  const [, navigate] = useLocation();
  const found = useAllowedPages().filter(({ title }) => title.toLowerCase().includes(search));
  return found.map(({ path, title, icon, group }) => ({
    id: path,
    label: title,
    description: group,
    leftSection: <Icon name={icon} />,
    onClick: () => navigate(path),
  }));
}

/** The first services in which every word occurs. The catalog is read when the palette is opened. */
function useServices(search: string, isOpen: boolean): readonly SpotlightActionData[] {
  const [, navigate] = useLocation();
  const { data } = useResource(api.catalog.export, { isEnabled: isOpen });
  const services = useMemo(() => (data === undefined ? [] : indexOf(data).services), [data]);
  if (search === '') return [];
  return matching(services, search)
    .slice(0, SHOWN_SERVICES)
    .map(({ label, description }) => ({
      id: label,
      label,
      description,
      leftSection: <Icon name="catalog" />,
      onClick: () => navigate(serviceLink(label)),
    }));
}

/** The command palette: every page and every service by its name. */
export function Palette() {
  const [query, setQuery] = useState('');
  const [isOpen, { open, close }] = useDisclosure();
  // Also while one types: unlike `/`, it is no character.
  useHotkeys([['mod + K', spotlight.toggle]], []);
  // Not deferred: Enter opens the first entry, which must be that of the typed text.
  const search = query.trim().toLowerCase();
  const groups: readonly SpotlightActionGroupData[] = [
    { group: 'Pages', actions: [...usePages(search)] },
    { group: 'Services', actions: [...useServices(search, isOpen)] },
  ];
  return (
    <Spotlight
      actions={groups.filter(({ actions }) => actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      onSpotlightOpen={open}
      onSpotlightClose={close}
      filter={(_query, found) => found}
      shortcut="/"
      attributes={{ content: { 'aria-label': NAME } }}
      nothingFound="No page and no service has this in its name."
      searchProps={{ placeholder: 'Go to …', 'aria-label': NAME }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.4 }}
      highlightQuery
      scrollable
      maxHeight={480}
    />
  );
}
