import { Button, FileInput, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { DragEvent, FormEvent } from 'react';
import { useState } from 'react';
import { MOST_BYTES } from '../../api/proxyAnswer.ts';
import { tooLarge, useUpload } from '../../api/upload/useUpload.ts';
import { UploadProgress } from '../../parts/form/UploadProgress.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { fileSize } from '../../api/fileSize.ts';

interface UploadFieldsProps {
  readonly file: File | null;
  readonly onFile: (file: File | null) => void;
  readonly description: string;
  readonly onDescription: (text: string) => void;
  readonly isBusy: boolean;
}

function UploadFields({ file, onFile, description, onDescription, isBusy }: UploadFieldsProps) {
  const problem = file === null ? undefined : tooLarge(file);
  return (
    <div className="uploadFields">
      <FileInput
        label="File"
        size="sm"
        placeholder="Choose a file, or drop one here"
        clearable
        value={file}
        onChange={onFile}
        leftSection={<Icon name="file" size={14} />}
        error={problem}
      />
      <TextInput
        label="Description"
        value={description}
        onChange={({ currentTarget }) => onDescription(currentTarget.value)}
      />
      <Button
        type="submit"
        size="sm"
        leftSection={<Icon name="upload" size={14} />}
        disabled={file === null || problem !== undefined || isBusy}
      >
        Upload
      </Button>
    </div>
  );
}

/** Chooses or takes a dropped file, and uploads it. */
export function UploadForm() {
  const [file, setFile] = useState<File | null>(null);
  const [description, setDescription] = useState('');
  const { running, error, start, cancel } = useUpload();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (file === null || (await start(file, { description })) === undefined) return;
    notifications.show({ message: `Uploaded ${file.name}.` });
    setFile(null);
    setDescription('');
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setFile(event.dataTransfer.files.item(0));
  };
  return (
    <div onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <Panel title="Upload a file">
        <form onSubmit={(event) => void submit(event)}>
          <Stack gap="sm">
            <UploadFields
              file={file}
              onFile={setFile}
              description={description}
              onDescription={setDescription}
              isBusy={running !== undefined}
            />
            {running !== undefined && <UploadProgress running={running} onCancel={cancel} />}
            {error !== null && <Problem error={error} />}
            <Text size="sm" className="muted">
              At most {fileSize(MOST_BYTES)}. A file that no job uses is deleted after 24 hours.
            </Text>
          </Stack>
        </form>
      </Panel>
    </div>
  );
}
