import { Alert, Button, Group, PasswordInput, Stack, TagsInput, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useState } from 'react';
import { WEBHOOK } from '../../../model/entity/webhook.ts';
import { SERVER } from '../../api/server.ts';
import { EntityFields } from '../../parts/form/EntityFields.tsx';
import { isRefused } from '../../parts/form/fieldProblem.ts';
import { Problem } from '../../parts/layout/Problem.tsx';
import type { FormValues } from './formValues.ts';
import { hasOtherOrigin } from './formValues.ts';
import { DemoAddress } from '../inbox/DemoAddress.tsx';
import { HeadersField } from './HeadersField.tsx';

/** The events that Steward itself sends; docs/events.md describes them. */
const SERVICE_TYPES = ['service.created', 'service.changed', 'service.started', 'service.stopped', 'service.deleted'];
const WEBHOOK_TYPES = ['webhook.failing', 'webhook.deactivated'];
const SYSTEM_TYPES = ['readOnly.entered', 'readOnly.left', 'upgrade.started', 'upgrade.completed', 'upgrade.failed'];

/** Those that are special have inputs of their own here. */
const { name: NAME, hookUrl: ADDRESS, changeTypes: TYPES, active: ACTIVE, ...OPTIONS } = WEBHOOK;

interface FieldsProps {
  readonly values: FormValues;
  readonly change: (changes: Partial<FormValues>) => void;
  /** What the form began with; its address decides whether the origin changes. */
  readonly initial: FormValues;
  readonly isNew: boolean;
  readonly isOfSystem: boolean;
  /** Whether the user may not change the address, the headers and the key. */
  readonly isLocked: boolean;
  readonly storedHeaders: readonly string[];
  readonly error: Error | null;
}

function ReceiverFields({ values, change, initial, isNew, isLocked, error }: FieldsProps) {
  return (
    <>
      <EntityFields of={{ name: NAME }} values={values} onChange={change} error={error} isFirst />
      <TextInput
        label={ADDRESS.label}
        description={ADDRESS.formHelp}
        type="url"
        value={values.hookUrl}
        onChange={({ currentTarget }) => change({ hookUrl: currentTarget.value })}
        readOnly={isLocked}
        required
        error={isRefused(error, 'hookUrl')}
        classNames={{ input: 'mono' }}
      />
      {isNew && SERVER.isDemo && values.hookUrl === '' && (
        <DemoAddress name={values.name} onChoose={(hookUrl) => change({ hookUrl })} />
      )}
      {!isNew && hasOtherOrigin(initial.hookUrl, values.hookUrl) && (
        <Alert color="yellow" role="status">
          This is another receiver: scheme, host or port differs. Steward drops the custom headers and generates a new
          signature key, unless you set them here. Pending and held deliveries go to the new address.
        </Alert>
      )}
    </>
  );
}

function EventFields({ values, change, isOfSystem }: FieldsProps) {
  return (
    <TagsInput
      label={TYPES.label}
      description={
        isOfSystem
          ? 'Empty for all events that Steward sends.'
          : 'Empty for all types, except webhook.failing and webhook.deactivated: add these by name, with * for the others.'
      }
      placeholder={values.changeTypes.length === 0 ? 'All types' : ''}
      data={
        isOfSystem ? [...SERVICE_TYPES, ...WEBHOOK_TYPES, ...SYSTEM_TYPES] : ['*', ...SERVICE_TYPES, ...WEBHOOK_TYPES]
      }
      value={[...values.changeTypes]}
      onChange={(changeTypes) => change({ changeTypes })}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      clearable
    />
  );
}

function SecretFields({ values, change, isNew, storedHeaders }: FieldsProps) {
  return (
    <>
      <HeadersField rows={values.headers} stored={storedHeaders} onChange={(headers) => change({ headers })} />
      <PasswordInput
        label={isNew ? 'Signature key' : 'New signature key'}
        description={
          isNew
            ? 'Empty to generate one, which is best. Your own key has 16 to 512 printable characters.'
            : 'Empty to keep the key. With a new one, the old key also signs for one day.'
        }
        value={values.signatureKey}
        onChange={({ currentTarget }) => change({ signatureKey: currentTarget.value })}
        autoComplete="new-password"
        size="sm"
      />
    </>
  );
}

function OptionFields({ values, change, isNew, error }: FieldsProps) {
  return (
    <EntityFields
      of={isNew ? { ...OPTIONS, active: ACTIVE } : OPTIONS}
      values={values}
      onChange={change}
      error={error}
    />
  );
}

export interface WebhookFormProps extends Omit<FieldsProps, 'values' | 'change'> {
  readonly submitText: string;
  readonly isPending: boolean;
  readonly onSubmit: (values: FormValues) => void;
  readonly onCancel: () => void;
  readonly children?: ReactNode;
}

/** All fields of a webhook, each with its explanation. */
export function WebhookForm({ submitText, isPending, onSubmit, onCancel, children, ...fields }: WebhookFormProps) {
  const [values, setValues] = useState(fields.initial);
  const props = { ...fields, values, change: (changes: Partial<FormValues>) => setValues({ ...values, ...changes }) };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(values);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg" maw={680}>
        {children}
        <ReceiverFields {...props} />
        <EventFields {...props} />
        {!fields.isLocked && <SecretFields {...props} />}
        <OptionFields {...props} />
        {fields.error !== null && <Problem error={fields.error} />}
        <Group gap="xs">
          <Button type="submit" loading={isPending}>
            {submitText}
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
