import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { newValues } from '../../../model/entity/field.ts';
import { FOLDER } from '../../../model/entity/service.ts';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { EntityFields } from '../../parts/form/EntityFields.tsx';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { isRefused } from '../../parts/form/fieldProblem.ts';
import { catalogAddress } from '../catalogIndex.ts';

export function CreateFolder({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [folderName, setName] = useState('');
  const [details, setDetails] = useState(newValues(FOLDER, {}));
  const create = useOperation(api.catalog.createFolder, {
    isQuiet: true,
    done: `Created the folder ${folderName}.`,
    onDone() {
      onClose();
      navigate(catalogAddress(folderName, ''));
    },
  });
  return (
    <FormModal
      title="Create a folder"
      onClose={onClose}
      action="Create"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ folderName, ...details })}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        value={folderName}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={isRefused(create.error, 'folderName')}
      />
      <EntityFields of={FOLDER} values={details} onChange={setDetails} error={create.error} />
    </FormModal>
  );
}
