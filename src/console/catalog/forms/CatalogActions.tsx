import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api } from '../../api/operations.ts';
import { addressOf } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import { CreateFolder } from './CreateFolder.tsx';
import { ImportCatalog } from './ImportCatalog.tsx';
import type { CatalogFormProps } from './PublishService.tsx';
import { PublishService } from './PublishService.tsx';

export function CatalogActions(props: CatalogFormProps) {
  const mayPublish = useMay('publisher');
  const [isImport, importer] = useDisclosure();
  const [isFolder, folder] = useDisclosure();
  return (
    <>
      <Button
        component="a"
        variant="default"
        href={addressOf(api.catalog.export, { f: 'pjson' })}
        download="catalog.json"
        leftSection={<Icon name="download" size={14} />}
      >
        Export
      </Button>
      {mayPublish && (
        <>
          <Button variant="default" onClick={importer.open} leftSection={<Icon name="upload" size={14} />}>
            Import
          </Button>
          <Button variant="default" onClick={folder.open} leftSection={<Icon name="folder" size={14} />}>
            New folder
          </Button>
          <PublishService {...props} />
        </>
      )}
      {isImport && <ImportCatalog onClose={importer.close} />}
      {isFolder && <CreateFolder onClose={folder.close} />}
    </>
  );
}
