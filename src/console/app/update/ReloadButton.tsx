import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { doesAnswer } from '../../api/client.ts';

/** Reloads the tab if the server answers. Otherwise the browser would replace the console by its own error page. */
export function ReloadButton() {
  const [state, setState] = useState<'idle' | 'asking' | 'unanswered'>('idle');
  const reload = async (): Promise<void> => {
    setState('asking');
    if (await doesAnswer()) globalThis.location.reload();
    else setState('unanswered');
  };
  return (
    <Stack gap={4} align="center">
      <Button variant="default" onClick={() => void reload()} loading={state === 'asking'}>
        Reload
      </Button>
      {state === 'unanswered' && (
        <Text size="sm" role="status">
          Steward still cannot be reached. Try again later.
        </Text>
      )}
    </Stack>
  );
}
