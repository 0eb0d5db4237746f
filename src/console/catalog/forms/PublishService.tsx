import { Autocomplete, Button, Group, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { newValues } from '../../../model/entity/field.ts';
import { SERVICE } from '../../../model/entity/service.ts';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { soapAddress } from '../../api/soap.ts';
import { labelOf, serviceLink } from '../../links.ts';
import { EntityFields } from '../../parts/form/EntityFields.tsx';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { isRefused } from '../../parts/form/fieldProblem.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import type { CatalogIndex } from '../catalogIndex.ts';
import { ROOT } from '../catalogIndex.ts';

export interface CatalogFormProps {
  readonly catalog: CatalogIndex;
  /** The folder on the page: empty for all, `/` for the root. */
  readonly folder: string;
}

interface KeyDraft {
  readonly folder: string;
  readonly serviceName: string;
  readonly type: string;
}

interface KeyFieldsProps {
  readonly catalog: CatalogIndex;
  readonly value: KeyDraft;
  readonly onChange: (change: Partial<KeyDraft>) => void;
  readonly error: Error | null;
}

function KeyFields({ catalog, value, onChange, error }: KeyFieldsProps) {
  return (
    <>
      <Select
        label="Folder"
        searchable
        data={[
          { value: ROOT, label: 'Root' },
          ...catalog.folders.map(({ folderName }) => ({ value: folderName, label: folderName })),
        ]}
        value={value.folder}
        onChange={(folder) => onChange({ folder: folder ?? ROOT })}
      />
      <Group grow align="flex-start" gap="sm" preventGrowOverflow={false} className="pair">
        <TextInput
          label="Name"
          required
          data-autofocus
          placeholder="Invoices"
          value={value.serviceName}
          onChange={({ currentTarget }) => onChange({ serviceName: currentTarget.value })}
          error={isRefused(error, 'serviceName')}
        />
        <Autocomplete
          label="Type"
          size="sm"
          required
          placeholder="Query"
          data={[...catalog.types]}
          value={value.type}
          onChange={(type) => onChange({ type })}
          error={isRefused(error, 'type')}
        />
      </Group>
    </>
  );
}

function PublishForm({ catalog, folder, onClose }: CatalogFormProps & { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [key, setKey] = useState<KeyDraft>({ folder: folder === '' ? ROOT : folder, serviceName: '', type: '' });
  const [draft, setDraft] = useState(newValues(SERVICE, {}));
  const publish = useOperation(api.catalog.createService, {
    isQuiet: true,
    done: ({ service: { serviceName } }) => `Published ${serviceName}.`,
    onDone: ({ service }) => navigate(serviceLink(labelOf(service.folderName, service.serviceName, service.type))),
  });
  const folderName = key.folder === ROOT ? undefined : key.folder;
  return (
    <FormModal
      title="Publish a service"
      onClose={onClose}
      action="Publish"
      isBusy={publish.isPending}
      error={publish.error}
      size="lg"
      onSubmit={() => publish.mutate({ folderName, serviceName: key.serviceName, type: key.type, ...draft })}
    >
      <KeyFields
        catalog={catalog}
        value={key}
        onChange={(change) => setKey({ ...key, ...change })}
        error={publish.error}
      />
      <EntityFields
        of={SERVICE}
        values={draft}
        onChange={setDraft}
        error={publish.error}
        placeholders={{ url: `${soapAddress()}/…` }}
      />
    </FormModal>
  );
}

export function PublishService(props: CatalogFormProps) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<Icon name="plus" size={14} />} onClick={open}>
        Publish a service
      </Button>
      {isOpen && <PublishForm {...props} onClose={close} />}
    </>
  );
}
