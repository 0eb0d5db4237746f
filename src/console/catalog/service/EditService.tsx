import { Alert, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Service } from '../../api/answers.ts';
import type { FieldsOf } from '../../api/operations.ts';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { ApiFailure } from '../../api/client.ts';
import { useOperation } from '../../api/queries.ts';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { ServerText } from '../../parts/text/ServerText.tsx';
import { ServiceFields } from '../forms/ServiceFields.tsx';
import type { ServiceDraft } from '../forms/serviceDraft.ts';
import { defaultUrl, draftOf } from '../forms/serviceDraft.ts';

export interface EditServiceProps {
  readonly label: string;
  /** As it was when the form was opened. */
  readonly service: Service;
  readonly onReload: () => Promise<Service | undefined>;
  readonly onClose: () => void;
}

type Changes = Partial<ServiceDraft>;
type EditedName = keyof FieldsOf<typeof api.catalog.edit>;

/** Only fields that differ from the server are sent, so that the others keep what someone else has set. */
function differing(changes: Changes, base: ServiceDraft): readonly (keyof ServiceDraft)[] {
  const fields = [
    'description',
    'capabilities',
    'parentType',
    'url',
    'access',
  ] as const satisfies readonly EditedName[];
  return fields.filter((name) => changes[name] !== undefined && changes[name] !== base[name]);
}

function Conflict({ error, onReload }: { readonly error: Error; readonly onReload: () => void }) {
  return (
    <Alert color="yellow" role="alert" icon={<Icon name="warning" />} title="Someone else changed this service">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          Nothing was saved. <ServerText text={error.message} /> Your input stays; fields that you did not change get
          their current values.
        </Text>
        <Button variant="default" onClick={onReload}>
          Load the current values
        </Button>
      </Stack>
    </Alert>
  );
}

/** Below a changed field, the value on the server; after a conflict, it tells what the other person has set. */
function remarksOf(changes: Changes, base: ServiceDraft, isReloaded: boolean) {
  if (!isReloaded) return {};
  return Object.fromEntries(
    differing(changes, base).map((name) => [name, `On the server: ${base[name] === '' ? 'empty' : base[name]}`]),
  );
}

export function EditService({ label, service, onReload, onClose }: EditServiceProps) {
  const [base, setBase] = useState(service);
  const [isReloaded, setReloaded] = useState(false);
  const [changes, setChanges] = useState<Changes>({});
  const edit = useOperation(at(api.catalog.edit, { service: label }), {
    isQuiet: true,
    done: 'Saved.',
    onDone: onClose,
  });
  const conflict = edit.error instanceof ApiFailure && edit.error.status === 409 ? edit.error : undefined;
  const reload = async (): Promise<void> => {
    const latest = await onReload();
    if (latest === undefined) return;
    setBase(latest);
    setReloaded(true);
    edit.reset();
  };
  const baseDraft = draftOf(base);
  const sent = differing(changes, baseDraft);
  return (
    <FormModal
      title={`Edit ${label}`}
      onClose={onClose}
      action="Save"
      isBusy={edit.isPending}
      canSubmit={sent.length > 0}
      error={edit.error}
      problem={conflict !== undefined && <Conflict error={conflict} onReload={() => void reload()} />}
      size="lg"
      onSubmit={() =>
        edit.mutate({ ...Object.fromEntries(sent.map((name) => [name, changes[name]])), ifRevision: base.revision })
      }
    >
      <ServiceFields
        draft={{ ...baseDraft, ...changes }}
        onChange={(change) => setChanges((before) => ({ ...before, ...change }))}
        error={edit.error}
        defaultUrl={defaultUrl(base)}
        remarks={remarksOf(changes, baseDraft, isReloaded)}
      />
    </FormModal>
  );
}
