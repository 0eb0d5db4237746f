// The values of the form of a webhook, and the fields of the request that they become.
import type { Webhook } from '../../api/answers.ts';
import type { FieldsOf, api } from '../../api/operations.ts';

export interface HeaderRow {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

export interface FormValues {
  readonly name: string;
  readonly hookUrl: string;
  /** Empty for all types. */
  readonly types: readonly string[];
  readonly isForm: boolean;
  /** Undefined keeps the stored headers, whose values are hidden. */
  readonly headers: readonly HeaderRow[] | undefined;
  readonly signatureHeader: string;
  readonly receiverSignals: boolean;
  readonly active: boolean;
  readonly signatureKey: string;
}

export const NEW_VALUES: FormValues = {
  name: '',
  hookUrl: '',
  types: [],
  isForm: false,
  headers: [],
  signatureHeader: '',
  receiverSignals: false,
  active: true,
  signatureKey: '',
};

export function valuesOf(webhook: Webhook): FormValues {
  return {
    ...NEW_VALUES,
    name: webhook.name,
    hookUrl: webhook.hookUrl,
    types: webhook.changeTypes.length === 1 && webhook.changeTypes[0] === '*' ? [] : webhook.changeTypes,
    isForm: webhook.contentType !== 'application/json',
    headers: Object.keys(webhook.headers).length === 0 ? [] : undefined,
    signatureHeader: webhook.signatureHeader,
    receiverSignals: webhook.receiverSignals,
    active: webhook.active,
  };
}

function headersText(rows: readonly HeaderRow[]): string {
  const filled = rows.filter(({ name, value }) => name !== '' || value !== '');
  return JSON.stringify(Object.fromEntries(filled.map(({ name, value }) => [name.trim(), value])));
}

/** The fields as the API takes them. Optional texts that are empty are left out. */
function fieldsOf(values: FormValues): FieldsOf<typeof api.serviceWebhooks.create> {
  return {
    name: values.name,
    hookUrl: values.hookUrl,
    changeTypes: JSON.stringify(values.types.length === 0 ? ['*'] : values.types),
    contentType: values.isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    headers: values.headers === undefined ? undefined : headersText(values.headers),
    signatureHeader: values.signatureHeader === '' ? 'none' : values.signatureHeader,
    receiverSignals: values.receiverSignals,
    active: values.active,
    signatureKey: values.signatureKey === '' ? undefined : values.signatureKey,
  };
}

export function createFields(values: FormValues): FieldsOf<typeof api.serviceWebhooks.create> {
  return fieldsOf(values);
}

/** Only what differs from the stored webhook, so that an edit changes nothing else. */
export function editFields(before: FormValues, after: FormValues): FieldsOf<typeof api.serviceWebhooks.edit> {
  const stored = new Map(Object.entries(fieldsOf(before)));
  return Object.fromEntries(Object.entries(fieldsOf(after)).filter(([name, value]) => value !== stored.get(name)));
}

/** Whether an address leads to another receiver, so that the server drops headers and key. */
export function hasOtherOrigin(before: string, after: string): boolean {
  return URL.canParse(before) && URL.canParse(after) && new URL(before).origin !== new URL(after).origin;
}
