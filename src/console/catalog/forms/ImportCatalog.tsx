import { Alert, FileInput, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/operations.ts';
import { ApiFailure } from '../../api/client.ts';
import { useOperation } from '../../api/queries.ts';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import type { ImportCounts } from '../answers.ts';
import { numberText } from '../../parts/text/locale.ts';

const ROWS = [
  ['foldersCreated', 'Folders to create'],
  ['servicesCreated', 'Services to create'],
  ['servicesChanged', 'Services to change'],
  ['servicesUnchanged', 'Services that stay as they are'],
] as const;

function changesIn({ foldersCreated, servicesCreated, servicesChanged }: ImportCounts): number {
  return foldersCreated + servicesCreated + servicesChanged;
}

function Preview({ counts }: { readonly counts: ImportCounts }) {
  return (
    <>
      <table className="counts">
        <caption>Preview: nothing is changed yet</caption>
        <tbody>
          {ROWS.map(([name, text]) => (
            <tr key={name}>
              <th scope="row">{text}</th>
              <td className="number">{numberText(counts[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {changesIn(counts) === 0 && (
        <Alert color="gray" icon={<Icon name="info" />}>
          The catalog already has everything that is in this file.
        </Alert>
      )}
    </>
  );
}

const FIELD = 'importFile: ';

/** The problems of the file with their places in it, without the name of the form field. */
function fileProblem(error: Error | null): Error | null {
  if (!(error instanceof ApiFailure) || !error.details.some((detail) => detail.startsWith(FIELD))) return error;
  const places = error.details.map((detail) => detail.replace(FIELD, ''));
  return new ApiFailure(error.status, 'The file cannot be imported. Nothing was changed.', places);
}

function isUnanswered(error: Error | null): boolean {
  return error instanceof ApiFailure && (error.status === 0 || error.status >= 500);
}

/** Imports a file in two steps: the server checks and counts, then a person confirms. */
export function ImportCatalog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const check = useOperation(api.catalog.import, { isQuiet: true });
  const apply = useOperation(api.catalog.import, {
    isQuiet: true,
    done: (counts) => `Imported: ${counts.servicesCreated} created, ${counts.servicesChanged} changed.`,
    onDone: onClose,
  });
  const choose = (chosen: File | null): void => {
    setFile(chosen);
    apply.reset();
    check.reset();
    if (chosen !== null) check.mutate({ dryRun: true, importFile: chosen });
  };
  // A check that was not answered can be repeated without choosing the file again.
  const isUnchecked = file !== null && isUnanswered(check.error);
  const submit = (): void => {
    if (isUnchecked) check.mutate({ dryRun: true, importFile: file });
    else if (file !== null) apply.mutate({ importFile: file });
  };
  return (
    <FormModal
      title="Import services"
      onClose={onClose}
      action={isUnchecked ? 'Check again' : 'Import'}
      isBusy={apply.isPending || check.isPending}
      canSubmit={isUnchecked || (file !== null && check.data !== undefined && changesIn(check.data) > 0)}
      error={fileProblem(apply.error ?? check.error)}
      onSubmit={submit}
    >
      <Text size="sm" className="muted">
        A JSON or YAML file, in the format of the export. Missing folders and services are created, and those that
        differ are changed. Services that are not in the file stay. All changes are applied, or none.
      </Text>
      <FileInput
        label="File"
        size="sm"
        placeholder="Choose a file"
        accept=".json,.yaml,.yml,application/json,application/yaml"
        clearable
        value={file}
        onChange={choose}
        leftSection={<Icon name="file" size={14} />}
        data-autofocus
      />
      {check.data !== undefined && <Preview counts={check.data} />}
    </FormModal>
  );
}
