import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ImportManifest } from './ImportManifest.tsx';

/** Imports a version manifest. */
export function ImportButton({ isDisabled }: { readonly isDisabled: boolean }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open} disabled={isDisabled}>
        Import a manifest
      </Button>
      {isOpen && <ImportManifest onClose={close} />}
    </>
  );
}
