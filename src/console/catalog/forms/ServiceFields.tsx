import { Radio, Group, TextInput, Textarea } from '@mantine/core';
import type { FocusEvent } from 'react';
import { isRefused } from '../../parts/form/fieldProblem.ts';
import type { ServiceDraft } from './serviceDraft.ts';

export interface ServiceFieldsProps {
  readonly draft: ServiceDraft;
  readonly onChange: (change: Partial<ServiceDraft>) => void;
  readonly error: Error | null;
  /** Placeholder of the address. */
  readonly defaultUrl: string;
  /** A remark below a field, such as its value on the server. */
  readonly remarks?: Partial<Readonly<Record<keyof ServiceDraft, string>>>;
}

const TEXTS = [
  ['capabilities', 'Capabilities', 'Such as Read,Search'],
  ['parentType', 'Parent type', 'The type of the service that it belongs to'],
] as const;

interface AccessFieldProps {
  readonly value: ServiceDraft['access'];
  readonly onChange: (access: ServiceDraft['access']) => void;
  readonly remark: string | undefined;
}

function AccessField({ value, onChange, remark }: AccessFieldProps) {
  return (
    <Radio.Group
      label="Access"
      value={value}
      onChange={(chosen) => onChange(chosen === 'public' ? 'public' : 'private')}
      inputWrapperOrder={['label', 'input', 'description']}
      description={remark}
    >
      <Group gap="lg" py={4}>
        <Radio value="private" label="Private: only callers with a token see it" />
        <Radio value="public" label="Public: every caller sees it" />
      </Group>
    </Radio.Group>
  );
}

/** The fields of a service that can be changed later, too. */
export function ServiceFields({ draft, onChange, error, defaultUrl, remarks = {} }: ServiceFieldsProps) {
  return (
    <>
      <Textarea
        label="Description"
        data-autofocus
        autosize
        minRows={2}
        maxRows={8}
        value={draft.description}
        onChange={({ currentTarget }) => onChange({ description: currentTarget.value })}
        error={isRefused(error, 'description')}
        inputWrapperOrder={['label', 'input', 'description']}
        description={remarks.description}
      />
      <AccessField value={draft.access} onChange={(access) => onChange({ access })} remark={remarks.access} />
      {TEXTS.map(([name, label, placeholder]) => (
        <TextInput
          key={name}
          label={label}
          placeholder={placeholder}
          value={draft[name]}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
          error={isRefused(error, name)}
          inputWrapperOrder={['label', 'input', 'description']}
          description={remarks[name]}
        />
      ))}
      <TextInput
        label="Address for clients"
        type="url"
        placeholder={defaultUrl}
        value={draft.url}
        onChange={({ currentTarget }) => onChange({ url: currentTarget.value })}
        onBlur={({ currentTarget }: FocusEvent<HTMLInputElement>) => onChange({ url: currentTarget.value.trim() })}
        error={isRefused(error, 'url')}
        inputWrapperOrder={['label', 'input', 'description']}
        description={remarks.url ?? 'If it is empty, clients get the address below /services.'}
      />
    </>
  );
}
