import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import type { RunningUpload } from '../../api/upload/useUpload.ts';
import { fileSize } from '../../api/fileSize.ts';

export interface UploadProgressProps {
  readonly running: RunningUpload;
  readonly onCancel: () => void;
}

/** How far an upload is. */
export function UploadProgress({ running, onCancel }: UploadProgressProps) {
  const percent = Math.round(running.share * 100);
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm" className="wrap">
          {running.file.name}
        </Text>
        <Group gap="xs">
          <Text size="sm" className="muted number">
            {percent} % of {fileSize(running.file.size)}
          </Text>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Group>
      <Progress value={percent} aria-label={`Upload of ${running.file.name}`} />
    </Stack>
  );
}
