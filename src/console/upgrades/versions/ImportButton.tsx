import { Button, FileButton } from '@mantine/core';
import { useRef } from 'react';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import type { ImportedManifest } from '../answers.ts';

function doneText({ versions, warnings }: ImportedManifest): string {
  const notes = warnings.length === 0 ? '' : ` ${warnings.join(' ')}`;
  return `Imported ${versions.length} versions: ${versions.join(', ')}.${notes}`;
}

/** Imports a version manifest. */
export function ImportButton({ isDisabled }: { readonly isDisabled: boolean }) {
  const importManifest = useOperation(api.upgrades.importManifest, { done: doneText });
  const reset = useRef<() => void>(null);
  const send = (file: File | null): void => {
    if (file !== null) importManifest.mutate({ versionManifestFile: file });
    // The browser reports a choice only if it differs from the one before. After a failure the same file is chosen again.
    reset.current?.();
  };
  return (
    <FileButton accept="application/json,.json" onChange={send} resetRef={reset}>
      {(props) => (
        <Button {...props} variant="default" disabled={isDisabled} loading={importManifest.isPending}>
          Import a manifest
        </Button>
      )}
    </FileButton>
  );
}
