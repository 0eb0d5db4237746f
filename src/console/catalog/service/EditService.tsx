import { Alert, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { changedValues, changesOf, fieldsOf, hasValues } from '../../../model/entity/field.ts';
import type { ServiceDetails } from '../../../model/entity/service.ts';
import { SERVICE } from '../../../model/entity/service.ts';
import type { Service } from '../../api/answers.ts';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { ApiFailure } from '../../api/client.ts';
import { useOperation } from '../../api/queries.ts';
import { EntityFields } from '../../parts/form/EntityFields.tsx';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import { defaultUrl, draftOf } from '../forms/serviceDraft.ts';

export interface EditServiceProps {
  readonly label: string;
  /** As it was when the form was opened. */
  readonly service: Service;
  readonly onReload: () => Promise<Service | undefined>;
  readonly onClose: () => void;
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
function remarksOf(draft: ServiceDetails, base: ServiceDetails): Readonly<Record<string, string>> {
  const changed = fieldsOf(SERVICE).filter(([name]) => draft[name] !== base[name]);
  return Object.fromEntries(
    changed.map(([name]) => [name, `On the server: ${base[name] === '' ? 'empty' : base[name]}`]),
  );
}

export function EditService({ label, service, onReload, onClose }: EditServiceProps) {
  const [base, setBase] = useState(service);
  const [isReloaded, setReloaded] = useState(false);
  const [draft, setDraft] = useState(draftOf(service));
  const edit = useOperation(at(api.catalog.edit, { service: label }), {
    isQuiet: true,
    done: 'Saved.',
    onDone: onClose,
  });
  const conflict = edit.error instanceof ApiFailure && edit.error.status === 409 ? edit.error : undefined;
  const baseDraft = draftOf(base);
  // Only they are sent, so that the others keep what someone else has set.
  const changes = changesOf(SERVICE, baseDraft, draft);
  const reload = async (): Promise<void> => {
    const latest = await onReload();
    if (latest === undefined) return;
    // What was typed since is not lost.
    setDraft((typed) => changedValues(SERVICE, draftOf(latest), changesOf(SERVICE, baseDraft, typed)));
    setBase(latest);
    setReloaded(true);
    edit.reset();
  };
  return (
    <FormModal
      title={`Edit ${label}`}
      onClose={onClose}
      action="Save"
      isBusy={edit.isPending}
      canSubmit={hasValues(changes)}
      error={edit.error}
      problem={conflict !== undefined && <Conflict error={conflict} onReload={() => void reload()} />}
      size="lg"
      onSubmit={() => edit.mutate({ ...changes, ifRevision: base.revision })}
    >
      <EntityFields
        of={SERVICE}
        values={draft}
        onChange={setDraft}
        error={edit.error}
        placeholders={{ url: defaultUrl(base) }}
        remarks={isReloaded ? remarksOf(draft, baseDraft) : {}}
        isFirst
      />
    </FormModal>
  );
}
