import { Button, Checkbox, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useOperation, useResource } from '../../api/queries.ts';
import { Problem } from '../../parts/layout/Problem.tsx';
import type { Version } from '../answers.ts';

/** Records the version that runs, if Steward did not install it. */
export function AdoptButton({ isDisabled }: { readonly isDisabled: boolean }) {
  const [isOpen, { open, close }] = useDisclosure();
  const [id, setId] = useState<string | null>(null);
  const [isForced, setForced] = useState(false);
  const versions = useResource<readonly Version[]>('/system/upgrades/available', { isEnabled: isOpen });
  const adopt = useOperation('/system/upgrades/adopt', {
    done: `${id ?? ''} is recorded.`,
    onDone: close,
    isQuiet: true,
  });
  const choices = (versions.data ?? []).map((one) => ({ value: one.id, label: `${one.version}.${one.build}` }));
  return (
    <>
      <Button variant="default" onClick={open} disabled={isDisabled}>
        Adopt a version
      </Button>
      <Modal opened={isOpen} onClose={close} title="Adopt the version that runs">
        <Stack gap="md">
          <Text size="sm">
            Steward compares what runs with the version, and records it if they are the same. Nothing in the deployment
            is changed.
          </Text>
          <Select label="Version" data={choices} value={id} onChange={setId} placeholder="Choose" searchable />
          {adopt.error !== null && <Problem error={adopt.error} />}
          {adopt.error !== null && (
            <Checkbox
              label="Record it despite the differences"
              checked={isForced}
              onChange={({ currentTarget }) => setForced(currentTarget.checked)}
            />
          )}
          <Group justify="flex-end">
            <Button
              onClick={() => adopt.mutate({ versionManifest: id ?? '', ...(isForced && { force: true }) })}
              disabled={id === null}
              loading={adopt.isPending}
            >
              Adopt
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
