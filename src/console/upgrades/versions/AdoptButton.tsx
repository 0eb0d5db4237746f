import { Button, Checkbox, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api/operations.ts';
import { ApiFailure } from '../../api/client.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';

function isAnswer(error: Error): boolean {
  return error instanceof ApiFailure && error.status !== 0;
}

function AdoptForm({ onClose }: { readonly onClose: () => void }) {
  const [id, setId] = useState<string | null>(null);
  const [isForced, setForced] = useState(false);
  const versions = useResource(api.upgrades.available);
  const adopt = useOperation(api.upgrades.adopt, {
    done: `${id ?? ''} is recorded.`,
    onDone: onClose,
    isQuiet: true,
  });
  const choices = (versions.data ?? []).map((one) => ({ value: one.id, label: `${one.version}.${one.build}` }));
  return (
    <FormModal
      title="Adopt the version that runs"
      onClose={onClose}
      action="Adopt"
      isBusy={adopt.isPending}
      canSubmit={id !== null}
      error={adopt.error}
      problem={
        adopt.error !== null && (
          <>
            <Problem error={adopt.error} />
            {isAnswer(adopt.error) && (
              <Checkbox
                label="Record it despite the differences"
                checked={isForced}
                onChange={({ currentTarget }) => setForced(currentTarget.checked)}
              />
            )}
          </>
        )
      }
      onSubmit={() => adopt.mutate({ versionManifest: id ?? '', ...(isForced && { force: true }) })}
    >
      <Text size="sm">
        Steward compares what runs with the version, and records it if they are the same. Nothing in the deployment is
        changed.
      </Text>
      <Select
        label="Version"
        data-autofocus
        data={choices}
        value={id}
        onChange={setId}
        placeholder="Choose"
        searchable
      />
    </FormModal>
  );
}

/** Records the version that runs, if Steward did not install it. */
export function AdoptButton({ isDisabled }: { readonly isDisabled: boolean }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open} disabled={isDisabled}>
        Adopt a version
      </Button>
      {isOpen && <AdoptForm onClose={close} />}
    </>
  );
}
