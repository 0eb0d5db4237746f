import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { isRefused } from '../../parts/form/fieldProblem.ts';
import { catalogAddress } from '../list/FolderList.tsx';

export function CreateFolder({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [folderName, setName] = useState('');
  const [description, setDescription] = useState('');
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
      onSubmit={() => create.mutate({ folderName, description })}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        value={folderName}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={isRefused(create.error, 'folderName')}
      />
      <TextInput
        label="Description"
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        error={isRefused(create.error, 'description')}
      />
    </FormModal>
  );
}
