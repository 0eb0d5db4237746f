import { Alert, Button, Group, PasswordInput, Radio, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useState } from 'react';
import { SERVER } from '../../api/server.ts';
import { Problem } from '../../parts/layout/Problem.tsx';
import type { FormValues } from './formValues.ts';
import { hasOtherOrigin } from './formValues.ts';
import { DemoAddress } from '../inbox/DemoAddress.tsx';
import { HeadersField } from './HeadersField.tsx';

/** The events that Steward itself sends; docs/events.md describes them. */
const SERVICE_TYPES = ['service.created', 'service.changed', 'service.started', 'service.stopped', 'service.deleted'];
const WEBHOOK_TYPES = ['webhook.failing', 'webhook.deactivated'];
const SYSTEM_TYPES = ['readOnly.entered', 'readOnly.left', 'upgrade.started', 'upgrade.completed', 'upgrade.failed'];

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
}

function ReceiverFields({ values, change, initial, isNew, isLocked }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        description="Unique among the webhooks of the same service."
        value={values.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        maxLength={120}
        required
        data-autofocus
      />
      <TextInput
        label="Address of the receiver"
        description="http or https, without a user name or a password. Private addresses must be allowed by the operator."
        type="url"
        value={values.hookUrl}
        onChange={({ currentTarget }) => change({ hookUrl: currentTarget.value })}
        readOnly={isLocked}
        required
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
    <>
      <TagsInput
        label="Event types"
        description={
          isOfSystem
            ? 'Empty for all events that Steward sends.'
            : 'Empty for all types, except webhook.failing and webhook.deactivated: add these by name, with * for the others.'
        }
        placeholder={values.types.length === 0 ? 'All types' : ''}
        data={
          isOfSystem ? [...SERVICE_TYPES, ...WEBHOOK_TYPES, ...SYSTEM_TYPES] : ['*', ...SERVICE_TYPES, ...WEBHOOK_TYPES]
        }
        value={[...values.types]}
        onChange={(types) => change({ types })}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        clearable
      />
      <Radio.Group
        label="Body"
        value={values.isForm ? 'form' : 'json'}
        onChange={(value) => change({ isForm: value === 'form' })}
      >
        <Stack gap="xs" mt={8}>
          <Radio value="json" label="JSON" description="application/json" />
          <Radio
            value="form"
            label="Form"
            description="application/x-www-form-urlencoded, with the JSON in the field payload"
          />
        </Stack>
      </Radio.Group>
    </>
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

function BehaviourFields({ values, change, isNew }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Additional signature header"
        description="Only for receivers that support no other signature, such as X-Hub-Signature-256. It has sha256= and the HMAC of the body. It does not cover the time, so a request can be replayed. Empty for none."
        value={values.signatureHeader}
        onChange={({ currentTarget }) => change({ signatureHeader: currentTarget.value })}
      />
      <Switch
        label="Obey signals of the receiver"
        description="410 deactivates the webhook at once. Retry-After with 429 or 503 lengthens the wait, up to one hour."
        checked={values.receiverSignals}
        onChange={({ currentTarget }) => change({ receiverSignals: currentTarget.checked })}
      />
      {isNew && (
        <Switch
          label="Active"
          description="If off, deliveries are held until you activate the webhook."
          checked={values.active}
          onChange={({ currentTarget }) => change({ active: currentTarget.checked })}
        />
      )}
    </>
  );
}

export interface WebhookFormProps extends Omit<FieldsProps, 'values' | 'change'> {
  readonly submitText: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSubmit: (values: FormValues) => void;
  readonly onCancel: () => void;
  readonly children?: ReactNode;
}

/** All fields of a webhook, each with its explanation. */
export function WebhookForm({
  submitText,
  isPending,
  error,
  onSubmit,
  onCancel,
  children,
  ...fields
}: WebhookFormProps) {
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
        <BehaviourFields {...props} />
        {error !== null && <Problem error={error} />}
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
