import { Button, Tooltip } from '@mantine/core';
import { useLocation } from 'wouter';
import { useOperation } from '../../api/queries.ts';
import { useMay } from '../../app/session.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';

/** Only an empty folder can be deleted. */
export function DeleteFolder({ folder, count }: { readonly folder: string; readonly count: number }) {
  const [, navigate] = useLocation();
  const remove = useOperation('/services/deleteFolder', {
    done: `Deleted the folder ${folder}.`,
    onDone: () => navigate('/catalog'),
  });
  if (!useMay('publisher')) return undefined;
  if (count > 0)
    return (
      <Tooltip label={`The folder has ${count === 1 ? '1 service' : `${count} services`}. Delete them first.`}>
        <Button variant="default" data-disabled aria-disabled="true" onClick={(event) => event.preventDefault()}>
          Delete folder
        </Button>
      </Tooltip>
    );
  return (
    <ConfirmButton
      title={`Delete the folder ${folder}?`}
      text="The folder is empty. You can create it again later."
      loading={remove.isPending}
      onConfirm={() => remove.mutate({ folderName: folder })}
    >
      Delete folder
    </ConfirmButton>
  );
}
