import { Alert, Button, Group, Modal, NumberInput, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { newValues } from '../../../model/entity/field.ts';
import { NAMED_TOKEN } from '../../../model/entity/namedToken.ts';
import { api } from '../../api/operations.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { labelOf } from '../../links.ts';
import { EntityFields } from '../../parts/form/EntityFields.tsx';
import { FormModal } from '../../parts/form/FormModal.tsx';
import { isRefused } from '../../parts/form/fieldProblem.ts';
import { CopyText } from '../../parts/text/CopyText.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import type { CreatedToken } from '../answers.ts';

const MINUTES_A_DAY = 24 * 60;
const USUAL_DAYS = 30;
const MOST_DAYS = 365;

function Secret({ created, onClose }: { readonly created: CreatedToken; readonly onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={`The token ${created.item.name}`}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Alert color="yellow" icon={<Icon name="warning" />} title="Copy the token now">
          It is shown only this once. If it is lost, revoke it and create another one.
        </Alert>
        <div className="secret">
          <CopyText text={created.token} what="the token" />
        </div>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function ServiceSelect({ value, onChange }: { readonly value: string; readonly onChange: (label: string) => void }) {
  const catalog = useResource(api.catalog.export);
  const labels = catalog.data?.services.map((one) => labelOf(one.folderName, one.serviceName, one.type)) ?? [];
  return (
    <Select
      label="Service"
      placeholder="All services"
      searchable
      clearable
      nothingFoundMessage="No service matches."
      data={labels}
      value={value === '' ? null : value}
      onChange={(label) => onChange(label ?? '')}
      inputWrapperOrder={['label', 'input', 'description']}
      description="If you choose one, the token can be used for this service only."
    />
  );
}

/** Creates a named token, then shows its secret once. */
export function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const [details, setDetails] = useState(newValues(NAMED_TOKEN, { name: '', role: 'publisher' }));
  const [service, setService] = useState('');
  const [days, setDays] = useState<string | number>(USUAL_DAYS);
  const create = useOperation(api.access.createToken, { isQuiet: true });
  if (create.data !== undefined) return <Secret created={create.data} onClose={onClose} />;
  const expiration = Math.round(Number(days) * MINUTES_A_DAY);
  return (
    <FormModal
      title="Create a named token"
      onClose={onClose}
      action="Create"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ ...details, service: service === '' ? undefined : service, expiration })}
    >
      <EntityFields of={NAMED_TOKEN} values={details} onChange={setDetails} error={create.error} isFirst />
      <ServiceSelect value={service} onChange={setService} />
      <NumberInput
        label="Valid for days"
        size="sm"
        required
        min={1}
        max={MOST_DAYS}
        value={days}
        onChange={setDays}
        error={isRefused(create.error, 'expiration')}
      />
    </FormModal>
  );
}
