import { Group, Text, Title } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { useDeferredValue, useMemo } from 'react';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { SearchInput } from '../../parts/form/SearchInput.tsx';
import { useAddressField, useAddressText } from '../../parts/form/addressFields.ts';
import { DeleteFolder } from '../forms/DeleteFolder.tsx';
import { CatalogActions } from '../forms/CatalogActions.tsx';
import { PublishService } from '../forms/PublishService.tsx';
import type { CatalogIndex } from '../catalogIndex.ts';
import { ROOT, countByFolder, inFolder, indexOf, matching } from '../catalogIndex.ts';
import { FolderSelect, FolderTree } from './FolderList.tsx';
import { ServiceTable } from './ServiceTable.tsx';
import { numberText } from '../../parts/text/locale.ts';

const READ_EVERY_MS = 30_000;

/** From the search to the first row. */
function enterRows({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  if (key !== 'ArrowDown' && key !== 'Enter') return;
  currentTarget.closest('.catalogMain')?.querySelector<HTMLElement>('.serviceRow a')?.focus();
}

function NothingHere({ catalog, folder }: { readonly catalog: CatalogIndex; readonly folder: string }) {
  const mayPublish = useMay('publisher');
  if (inFolder(catalog.services, folder).length > 0)
    return <Empty title="No service matches" text="Use other words, or search in all services." />;
  if (folder !== '' && folder !== ROOT && !catalog.folders.some(({ folderName }) => folderName === folder))
    return <Empty title={`No folder named ${folder}`} text="It was deleted, or the address is wrong." />;
  const text = mayPublish
    ? 'Publish the first one, or import a file with many.'
    : 'A publisher can add the first one. You see it here as soon as it is published.';
  return (
    <Empty
      title={folder === '' ? 'The catalog is empty' : 'This folder has no services'}
      text={text}
      action={mayPublish && <PublishService catalog={catalog} folder={folder} />}
    />
  );
}

function FolderHead({ catalog, folder, count }: FolderHeadProps) {
  const title = folder === '' ? 'All services' : folder === ROOT ? 'Root' : folder;
  const description = catalog.folders.find(({ folderName }) => folderName === folder)?.description ?? '';
  const all = inFolder(catalog.services, folder).length;
  return (
    <div className="head catalogHead">
      <div className="catalogTitle">
        <Group gap="sm" wrap="nowrap">
          <Title order={2} className="pageTitle">
            {title}
          </Title>
          <Text size="sm" className="muted number" aria-live="polite">
            {count === all ? numberText(all) : `${numberText(count)} of ${numberText(all)}`}
          </Text>
        </Group>
        {description !== '' && (
          <Text size="sm" className="muted">
            {description}
          </Text>
        )}
      </div>
      {folder !== '' && folder !== ROOT && <DeleteFolder folder={folder} count={all} />}
    </div>
  );
}

interface FolderHeadProps {
  readonly catalog: CatalogIndex;
  readonly folder: string;
  readonly count: number;
}

function Browser({ catalog }: { readonly catalog: CatalogIndex }) {
  const [folder, setFolder] = useAddressField('folder');
  const { text: search, setText: setSearch, writeNow } = useAddressText('q');
  // The input answers at once; the rows follow when there is time.
  const applied = useDeferredValue(search);
  const found = useMemo(() => matching(catalog.services, applied), [catalog, applied]);
  const counts = useMemo(() => countByFolder(found), [found]);
  const shown = useMemo(() => inFolder(found, folder), [found, folder]);
  const folders = { catalog, counts, total: found.length, folder, search, onSelect: setFolder };
  return (
    <div className="catalog">
      <FolderTree {...folders} />
      <section className="catalogMain" aria-label="Services">
        <FolderSelect {...folders} />
        <SearchInput
          label="Search services"
          placeholder="Search by name, type, description, state or access"
          value={search}
          onChange={setSearch}
          onKeyDown={enterRows}
          onBlur={writeNow}
        />
        <div className="panel">
          <FolderHead catalog={catalog} folder={folder} count={shown.length} />
          {shown.length === 0 ? (
            <NothingHere catalog={catalog} folder={folder} />
          ) : (
            <ServiceTable key={folder} services={shown} hasFolders={folder === ''} />
          )}
        </div>
      </section>
    </div>
  );
}

export function CatalogList() {
  const file = useResource(api.catalog.export, { everyMs: READ_EVERY_MS });
  const [folder] = useAddressField('folder');
  const catalog = useMemo(() => (file.data === undefined ? undefined : indexOf(file.data)), [file.data]);
  return (
    <>
      <PageHead
        title="Catalog"
        actions={catalog !== undefined && <CatalogActions catalog={catalog} folder={folder} />}
      />
      <Resource of={file} lines={12}>
        {() => catalog !== undefined && <Browser catalog={catalog} />}
      </Resource>
    </>
  );
}
