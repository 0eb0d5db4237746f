import { FileInput, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import type { ImportedManifest } from '../answers.ts';

function doneText({ versions, objects, warnings }: ImportedManifest): string {
  const notes = warnings.length === 0 ? '' : ` ${warnings.join(' ')}`;
  const more = objects === null ? '' : `, and ${objects.count} objects`;
  return `Imported ${versions.length} versions: ${versions.join(', ')}${more}.${notes}`;
}

/** Imports a version manifest, and the file with the objects of one of its versions. */
export function ImportManifest({ onClose }: { readonly onClose: () => void }) {
  const [manifest, setManifest] = useState<File | null>(null);
  const [objects, setObjects] = useState<File | null>(null);
  const importManifest = useOperation(api.upgrades.importManifest, {
    isQuiet: true,
    done: doneText,
    onDone: onClose,
  });
  const submit = (): void => {
    if (manifest === null) return;
    importManifest.mutate({ versionManifestFile: manifest, ...(objects !== null && { objectsFile: objects }) });
  };
  return (
    <FormModal
      title="Import a manifest"
      onClose={onClose}
      action="Import"
      isBusy={importManifest.isPending}
      canSubmit={manifest !== null}
      error={importManifest.error}
      onSubmit={submit}
    >
      <Text size="sm" className="muted">
        Adds the versions of a manifest to those that can be installed. A version that is known already is replaced.
      </Text>
      <FileInput
        label="Manifest"
        size="sm"
        placeholder="Choose a file"
        accept=".json,application/json"
        clearable
        value={manifest}
        onChange={setManifest}
        leftSection={<Icon name="file" size={14} />}
        data-autofocus
      />
      <FileInput
        label="Objects"
        description="Only for a version with Kubernetes objects that no registry has: the file that was made with the manifest. If several versions need one, import the manifest once with each file."
        size="sm"
        placeholder="Choose a file"
        clearable
        value={objects}
        onChange={setObjects}
        leftSection={<Icon name="file" size={14} />}
      />
    </FormModal>
  );
}
