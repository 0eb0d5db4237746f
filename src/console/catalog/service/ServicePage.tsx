import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useLocation } from 'wouter';
import { SERVICE } from '../../../model/entity/service.ts';
import type { Service } from '../../api/answers.ts';
import type { AnswerOf } from '../../api/operations.ts';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { ApiFailure } from '../../api/client.ts';
import { soapAddress } from '../../api/soap.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import { Empty } from '../../parts/layout/Empty.tsx';
import { entityFacts } from '../../parts/layout/entityFacts.tsx';
import { Facts } from '../../parts/layout/Facts.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { CopyText } from '../../parts/text/CopyText.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { Time } from '../../parts/text/Time.tsx';
import { ServiceAccess, ServiceState } from '../ServiceLabels.tsx';
import { ROOT, catalogAddress } from '../catalogIndex.ts';
import { TryIt } from '../soap/TryIt.tsx';
import { EditService } from './EditService.tsx';
import { ServiceChanges } from './ServiceChanges.tsx';
import { ServiceWebhooks } from './ServiceWebhooks.tsx';

const READ_EVERY_MS = 5000;

function StartStop({ label, state }: { readonly label: string; readonly state: Service['state'] }) {
  const isRunning = state === 'running';
  const start = useOperation(at(api.catalog.start, { service: label }), { done: `Started ${label}.` });
  const stop = useOperation(at(api.catalog.stop, { service: label }), { done: `Stopped ${label}.` });
  const next = isRunning ? stop : start;
  return (
    <Button
      variant="default"
      leftSection={<Icon name={isRunning ? 'stop' : 'play'} size={14} />}
      loading={start.isPending || stop.isPending}
      onClick={() => next.mutate(undefined)}
    >
      {isRunning ? 'Stop' : 'Start'}
    </Button>
  );
}

function DeleteService({ label, folder }: { readonly label: string; readonly folder: string }) {
  const [, navigate] = useLocation();
  const remove = useOperation(at(api.catalog.delete, { service: label }), {
    isQuiet: true,
    done: `Deleted ${label}.`,
    onDone: () => navigate(catalogAddress(folder === '' ? ROOT : folder, '')),
  });
  return (
    <ConfirmButton
      title={`Delete ${label}?`}
      text="Clients no longer find the service. Its webhooks remain, and receive the event about the deletion. To take the service out of the catalog for some time only, stop it instead."
      typed={label}
      leftSection={<Icon name="trash" size={14} />}
      onConfirm={() => remove.mutateAsync(undefined)}
    >
      Delete
    </ConfirmButton>
  );
}

interface ActionsProps {
  readonly label: string;
  readonly service: Service;
  readonly onReload: () => Promise<Service | undefined>;
}

function Actions({ label, service, onReload }: ActionsProps) {
  const [isEdit, { open, close }] = useDisclosure();
  return (
    <>
      {useMay('publisher') && (
        <>
          <StartStop label={label} state={service.state} />
          <DeleteService label={label} folder={service.folderName} />
          <Button onClick={open} leftSection={<Icon name="edit" size={14} />}>
            Edit
          </Button>
        </>
      )}
      {isEdit && <EditService label={label} service={service} onReload={onReload} onClose={close} />}
    </>
  );
}

/** Its address is among the addresses. */
const { url: _, ...ADDRESSED } = SERVICE;

function Details({ service }: { readonly service: Service }) {
  const { folderName, serviceName, type, owner, created, modified, revision, access, state } = service;
  const { [SERVICE.description.label]: description, ...facts } = entityFacts(ADDRESSED, service, {
    access: <ServiceAccess access={access} />,
  });
  return (
    <Panel title="Details">
      <Facts
        of={{
          [SERVICE.description.label]: description,
          Folder: (
            <Link href={catalogAddress(folderName === '' ? ROOT : folderName, '')} className="link">
              {folderName === '' ? 'Root' : folderName}
            </Link>
          ),
          Name: serviceName,
          Type: type,
          State: <ServiceState state={state} />,
          ...facts,
          Owner: owner,
          Published: <Time at={created} as="exact" />,
          'Last change': <Time at={modified} as="exact" />,
          Revision: revision,
        }}
      />
    </Panel>
  );
}

function Addresses({ service: { folderName, url } }: { readonly service: Service }) {
  const { origin } = globalThis.location;
  const rest = `${origin}/rest/services${folderName === '' ? '' : `/${encodeURIComponent(folderName)}`}?f=json`;
  return (
    <Panel title="Addresses">
      <Facts
        of={{
          Service: <CopyText text={url} what="the address of the service" />,
          SOAP: <CopyText text={soapAddress()} what="the SOAP address" />,
          WSDL: <CopyText text={`${soapAddress()}?wsdl`} what="the address of the WSDL" />,
          REST: <CopyText text={rest} what="the REST address" />,
        }}
      />
    </Panel>
  );
}

/** The address of a service may be that of a folder, if its last part has no type. */
function serviceIn(found: AnswerOf<typeof api.catalog.item> | undefined): Service | undefined {
  return found !== undefined && 'serviceName' in found ? found : undefined;
}

export function ServicePage({ label }: { readonly label: string }) {
  const found = useResource(at(api.catalog.item, { service: label }), { everyMs: READ_EVERY_MS });
  const service = serviceIn(found.data);
  const mayPublish = useMay('publisher');
  const isUnknown = found.error instanceof ApiFailure && found.error.status === 404;
  const isMissing = found.data === undefined ? isUnknown : service === undefined;
  const folder = label.includes('/') ? label.slice(0, label.indexOf('/')) : '';
  const reload = async (): Promise<Service | undefined> => serviceIn((await found.refetch()).data);
  return (
    <>
      <PageHead
        title={folder === '' ? label : label.slice(folder.length + 1)}
        crumbs={[
          { to: '/catalog', text: 'Catalog' },
          ...(folder === '' ? [] : [{ to: catalogAddress(folder, ''), text: folder }]),
        ]}
        aside={service !== undefined && <ServiceState state={service.state} />}
        actions={service !== undefined && <Actions label={label} service={service} onReload={reload} />}
      />
      {isMissing ? (
        <Panel>
          <Empty
            title="This service does not exist"
            text="It was deleted, or the address is wrong."
            action={
              <Button component={Link} href={catalogAddress(folder, '')} variant="default">
                Back to the catalog
              </Button>
            }
          />
        </Panel>
      ) : (
        <Resource of={found} lines={12}>
          {() =>
            service !== undefined && (
              <Stack gap="md" className="servicePage">
                <Details service={service} />
                <Addresses service={service} />
                {mayPublish && <ServiceWebhooks label={label} />}
                {mayPublish && <ServiceChanges label={label} />}
                <TryIt service={service} />
              </Stack>
            )
          }
        </Resource>
      )}
    </>
  );
}
