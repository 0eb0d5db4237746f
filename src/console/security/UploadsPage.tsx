import { Group, Stack, Table } from '@mantine/core';
import { Link } from 'wouter';
import { at } from '../../wire/client/call.ts';
import { addressOf } from '../api/client.ts';
import { api } from '../api/operations.ts';
import { useOperation, useResource } from '../api/queries.ts';
import { jobLink } from '../links.ts';
import { ConfirmButton } from '../parts/layout/ConfirmButton.tsx';
import { Empty } from '../parts/layout/Empty.tsx';
import { PageHead } from '../parts/layout/PageHead.tsx';
import { Panel } from '../parts/layout/Panel.tsx';
import { Resource } from '../parts/layout/Resource.tsx';
import { RowButton } from '../parts/layout/RowButton.tsx';
import { StackedTable } from '../parts/layout/StackedTable.tsx';
import { Icon } from '../parts/text/Icon.tsx';
import { Time } from '../parts/text/Time.tsx';
import type { Upload } from './answers.ts';
import { UploadForm } from './uploads/UploadForm.tsx';
import { fileSize } from '../api/fileSize.ts';
import './security.css';

const READ_EVERY_MS = 10_000;
const COLUMNS = ['File', 'Size', 'Type', 'Uploaded', 'By', 'Used by', 'Actions'];

function Actions({ upload: { itemID, itemName } }: { readonly upload: Upload }) {
  const remove = useOperation(at(api.uploads.delete, { id: itemID }), {
    isQuiet: true,
    done: `Deleted ${itemName}.`,
  });
  return (
    <Group gap={4} wrap="nowrap" className="rowActions">
      <RowButton
        component="a"
        href={addressOf(at(api.uploads.download, { id: itemID }))}
        download={itemName}
        leftSection={<Icon name="download" size={14} />}
      >
        Download
      </RowButton>
      <ConfirmButton
        title={`Delete ${itemName}?`}
        text="The file is deleted from the server. You can upload it again."
        isInRow
        onConfirm={() => remove.mutateAsync(undefined)}
      >
        Delete
      </ConfirmButton>
    </Group>
  );
}

function Row({ upload }: { readonly upload: Upload }) {
  const { itemName, description, size, contentType, date, owner, usedBy } = upload;
  return (
    <Table.Tr>
      <Table.Td>
        <span className="wrap">{itemName}</span>
        {description !== '' && <div className="muted wrap">{description}</div>}
      </Table.Td>
      <Table.Td className="number" data-label="Size">
        {fileSize(size)}
      </Table.Td>
      <Table.Td data-label="Type">{contentType}</Table.Td>
      <Table.Td data-label="Uploaded">
        <Time at={date} />
      </Table.Td>
      <Table.Td data-label="By">{owner}</Table.Td>
      <Table.Td data-label="Used by">
        {usedBy === null ? (
          <span className="muted">Not used</span>
        ) : (
          <Link href={jobLink(usedBy)} className="link">
            Job
          </Link>
        )}
      </Table.Td>
      <Table.Td>
        <Actions upload={upload} />
      </Table.Td>
    </Table.Tr>
  );
}

function UploadTable({ items }: { readonly items: readonly Upload[] }) {
  if (items.length === 0)
    return (
      <Empty title="No files" text="Upload a file that a later operation needs, such as a manifest of versions." />
    );
  return (
    <StackedTable columns={COLUMNS} numbers={['Size']}>
      {items.map((upload) => (
        <Row key={upload.itemID} upload={upload} />
      ))}
    </StackedTable>
  );
}

export function UploadsPage() {
  const uploads = useResource(api.uploads.list, { everyMs: READ_EVERY_MS });
  return (
    <>
      <PageHead title="Uploads" />
      <Stack gap="md">
        <UploadForm />
        <Panel title="Files" isFlush>
          <Resource of={uploads}>{({ items }) => <UploadTable items={items.toReversed()} />}</Resource>
        </Panel>
      </Stack>
    </>
  );
}
