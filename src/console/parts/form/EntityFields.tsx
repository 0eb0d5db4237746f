import { Group, NumberInput, Radio, Select, Switch, TagsInput, TextInput, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Entity, EntityField, EntityValues, FieldOf } from '../../../model/entity/field.ts';
import { byKind, fieldsOf, withValue } from '../../../model/entity/field.ts';
import { isRefused } from './fieldProblem.ts';

interface InputProps<F extends EntityField> {
  readonly of: F;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly shared: {
    readonly label: string;
    readonly description: string | undefined;
    readonly required: boolean;
    readonly error: boolean;
    readonly 'data-autofocus'?: true;
  };
  readonly placeholder: string | undefined;
}

function TextField({ of, value, onChange, shared, placeholder = '' }: InputProps<FieldOf<'text'>>) {
  const isAddress = of.reader === 'webAddress' || of.reader === 'receiverAddress';
  const props = { ...shared, placeholder, value: String(value) };
  if (of.isLong)
    return (
      <Textarea
        {...props}
        autosize
        minRows={2}
        maxRows={8}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...props}
      type={isAddress ? 'url' : 'text'}
      autoComplete="off"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onBlur={({ currentTarget }) => isAddress && onChange(currentTarget.value.trim())}
    />
  );
}

/** Two choices are seen at once; more are a list. */
function ChoiceField({ of, value, onChange, shared }: InputProps<FieldOf<'choice'>>) {
  const labels: Readonly<Record<string, string>> = of.labels ?? {};
  const data = of.choices.map((one) => ({ value: one, label: labels[one] ?? one }));
  if (data.length > 2)
    return <Select {...shared} data={data} value={String(value)} onChange={(chosen) => chosen && onChange(chosen)} />;
  return (
    <Radio.Group {...shared} value={String(value)} onChange={onChange}>
      <Group gap="lg" py={4}>
        {data.map((one) => (
          <Radio key={one.value} {...one} />
        ))}
      </Group>
    </Radio.Group>
  );
}

function IntegerField({ of, value, onChange, shared }: InputProps<FieldOf<'integer'>>) {
  return (
    <NumberInput
      {...shared}
      value={Number(value)}
      // An empty field keeps the former value, so that a chart beside it always shows what can be saved.
      onChange={(given) => typeof given === 'number' && given >= of.min && onChange(given)}
      min={of.min}
      max={of.max}
      {...(of.unit === undefined ? {} : { suffix: ` ${of.unit}` })}
      allowDecimal={false}
      allowNegative={of.min < 0}
      clampBehavior="strict"
      required
      withAsterisk={of.default === undefined}
      size="sm"
    />
  );
}

function Input({ of: field, ...props }: InputProps<EntityField>) {
  const { value, onChange, shared } = props;
  return byKind<ReactNode>(field, {
    text: (of) => <TextField of={of} {...props} />,
    choice: (of) => <ChoiceField of={of} {...props} />,
    integer: (of) => <IntegerField of={of} {...props} />,
    flag: () => (
      <Switch
        label={shared.label}
        description={shared.description}
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    ),
    eventTypes: () => (
      <TagsInput {...shared} value={Array.isArray(value) ? value.map(String) : []} onChange={onChange} />
    ),
  });
}

/** What is below the label. A number says its bounds. */
function explanationOf(field: EntityField): string {
  const text = field.formHelp ?? field.help;
  return field.kind === 'integer' ? `${text} ${field.min} to ${field.max}.`.trim() : text;
}

export interface EntityFieldsProps<E extends Entity> {
  readonly of: E;
  readonly values: EntityValues<E>;
  readonly onChange: (values: EntityValues<E>) => void;
  /** Why the server has refused the form. */
  readonly error: Error | null;
  /** What a field says instead of its help, such as its value on the server. */
  readonly remarks?: Readonly<Record<string, string>>;
  readonly placeholders?: Readonly<Record<string, string>>;
  /** Set if the first field has the focus when the form opens. */
  readonly isFirst?: boolean;
}

/** An input for each field of an entity, in their order. */
export function EntityFields<E extends Entity>(props: EntityFieldsProps<E>) {
  const { of, values, onChange, error, remarks = {}, placeholders = {}, isFirst = false } = props;
  return fieldsOf(of).map(([name, field], n) => (
    <Input
      key={name}
      of={field}
      value={values[name]}
      onChange={(value) => onChange(withValue(of, values, name, value))}
      placeholder={placeholders[name] ?? field.placeholder}
      shared={{
        label: field.label,
        description: (remarks[name] ?? explanationOf(field)) || undefined,
        required: field.kind === 'text' && field.default === undefined,
        error: isRefused(error, name),
        ...(isFirst && n === 0 ? { 'data-autofocus': true } : {}),
      }}
    />
  ));
}
