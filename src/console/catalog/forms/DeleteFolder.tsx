import { useLocation } from 'wouter';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';

function refusalFor(count: number): string | undefined {
  if (count === 0) return undefined;
  return `The folder has ${count === 1 ? '1 service' : `${count} services`}. Delete them first.`;
}

/** Only an empty folder can be deleted. */
export function DeleteFolder({ folder, count }: { readonly folder: string; readonly count: number }) {
  const [, navigate] = useLocation();
  const remove = useOperation(api.catalog.deleteFolder, {
    isQuiet: true,
    done: `Deleted the folder ${folder}.`,
    onDone: () => navigate('/catalog'),
  });
  if (!useMay('publisher')) return undefined;
  return (
    <ConfirmButton
      title={`Delete the folder ${folder}?`}
      text="The folder is empty. You can create it again later."
      refusal={refusalFor(count)}
      onConfirm={() => remove.mutateAsync({ folderName: folder })}
    >
      Delete folder
    </ConfirmButton>
  );
}
