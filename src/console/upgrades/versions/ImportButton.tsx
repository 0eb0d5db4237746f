import { Button, FileButton } from '@mantine/core';
import { useOperation } from '../../api/queries.ts';
import type { ImportedManifest } from '../answers.ts';

function doneText({ versions, warnings }: ImportedManifest): string {
  const notes = warnings.length === 0 ? '' : ` ${warnings.join(' ')}`;
  return `Imported ${versions.length} versions: ${versions.join(', ')}.${notes}`;
}

/** Imports a version manifest. */
export function ImportButton({ isDisabled }: { readonly isDisabled: boolean }) {
  const importManifest = useOperation<ImportedManifest>('/system/upgrades/importManifest', { done: doneText });
  return (
    <FileButton
      accept="application/json,.json"
      onChange={(file) => file !== null && importManifest.mutate({ versionManifestFile: file })}
    >
      {(props) => (
        <Button {...props} variant="default" disabled={isDisabled} loading={importManifest.isPending}>
          Import a manifest
        </Button>
      )}
    </FileButton>
  );
}
