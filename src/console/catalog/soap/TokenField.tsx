import { Button, PasswordInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { FormModal } from '../../parts/form/FormModal.tsx';

const MINUTES = 60;

interface GetTokenProps {
  readonly onClose: () => void;
  readonly onToken: (token: string) => void;
}

/** A session cannot be exchanged for a token, so that the password is asked. */
function GetToken({ onClose, onToken }: GetTokenProps) {
  const { username } = useSession();
  const [password, setPassword] = useState('');
  const generate = useOperation(api.access.generateToken, {
    isQuiet: true,
    onDone({ token }) {
      onToken(token);
      onClose();
    },
  });
  return (
    <FormModal
      title={`Get a token of ${username}`}
      onClose={onClose}
      action="Get a token"
      isBusy={generate.isPending}
      error={generate.error}
      onSubmit={() => generate.mutate({ username, password, expiration: MINUTES })}
    >
      <PasswordInput
        label="Your password"
        description={`The token is valid for ${MINUTES} minutes. It is kept on this page only.`}
        required
        data-autofocus
        autoComplete="current-password"
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
    </FormModal>
  );
}

export interface TokenFieldProps {
  readonly value: string;
  readonly onChange: (token: string) => void;
}

export function TokenField({ value, onChange }: TokenFieldProps) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <PasswordInput
        label="Token (for private services)"
        w={220}
        autoComplete="off"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      <Button size="sm" variant="default" onClick={open}>
        Get a token
      </Button>
      {isOpen && <GetToken onClose={close} onToken={onChange} />}
    </>
  );
}
