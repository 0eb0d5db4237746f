import { Select } from '@mantine/core';
import { Link } from 'wouter';
import type { IconName } from '../../parts/text/Icon.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import type { CatalogIndex } from '../catalogIndex.ts';
import { ROOT, catalogAddress } from '../catalogIndex.ts';
import { numberText } from '../../parts/text/locale.ts';

export interface FolderListProps {
  readonly catalog: CatalogIndex;
  /** Those that match the search. */
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
  readonly folder: string;
  readonly search: string;
  readonly onSelect: (folder: string) => void;
}

interface Entry {
  readonly value: string;
  readonly text: string;
  readonly icon: IconName;
  readonly count: number;
  readonly isInside: boolean;
}

function entriesOf({ catalog, counts, total }: FolderListProps): readonly Entry[] {
  return [
    { value: '', text: 'All services', icon: 'catalog', count: total, isInside: false },
    { value: ROOT, text: 'Root', icon: 'folder', count: counts.get(ROOT) ?? 0, isInside: true },
    ...catalog.folders.map(({ folderName }): Entry => ({
      value: folderName,
      text: folderName,
      icon: 'folder',
      count: counts.get(folderName) ?? 0,
      isInside: true,
    })),
  ];
}

/** The folders, with the number of services in each that match the search. */
export function FolderTree(props: FolderListProps) {
  return (
    <nav className="panel folderTree" aria-label="Folders">
      {entriesOf(props).map(({ value, text, icon, count, isInside }) => (
        <Link
          key={value}
          href={catalogAddress(value, props.search)}
          className="plain folderEntry"
          data-inside={isInside}
          aria-current={value === props.folder ? 'page' : undefined}
          data-empty={count === 0}
          title={text}
        >
          <Icon name={icon} size={14} />
          <span className="folderName">{text}</span>
          <span className="number muted">{numberText(count)}</span>
        </Link>
      ))}
    </nav>
  );
}

/** The same for a narrow screen. */
export function FolderSelect(props: FolderListProps) {
  return (
    <Select
      className="folderSelect"
      aria-label="Folder"
      searchable
      leftSection={<Icon name="folder" size={14} />}
      data={entriesOf(props).map(({ value, text, count }) => ({
        value: value === '' ? '*' : value,
        label: `${text} (${numberText(count)})`,
      }))}
      value={props.folder === '' ? '*' : props.folder}
      onChange={(value) => props.onSelect(value === null || value === '*' ? '' : value)}
    />
  );
}
