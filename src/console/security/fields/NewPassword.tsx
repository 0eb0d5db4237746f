import { PasswordInput } from '@mantine/core';
import { PASSWORD_RULE, passwordProblem } from '../../../model/password.ts';
import { isRefused } from '../../parts/form/fieldProblem.ts';

export interface NewPasswordProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isRequired?: boolean;
  readonly error: Error | null;
}

/** A new password. The rule of the server is checked as one types. */
export function NewPassword({ label, name, value, onChange, isRequired = true, error }: NewPasswordProps) {
  const problem = value === '' ? undefined : passwordProblem(value);
  return (
    <PasswordInput
      label={label}
      size="sm"
      name={name}
      autoComplete="new-password"
      required={isRequired}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={problem === undefined ? `It ${PASSWORD_RULE}.` : undefined}
      error={problem === undefined ? isRefused(error, name) : `It ${problem}.`}
    />
  );
}
