import { Alert, Button, List, Stack } from '@mantine/core';
import { ApiFailure } from '../../api/client.ts';
import { ServerText } from '../../api/ServerText.tsx';

export interface ProblemProps {
  readonly error: Error;
  readonly retry?: () => unknown;
  readonly isRetrying?: boolean;
}

/** A failure in the server's own words, with all its details. */
export function Problem({ error, retry, isRetrying = false }: ProblemProps) {
  const details = error instanceof ApiFailure ? error.details : [];
  return (
    <Alert color="red" role="alert" title={<ServerText text={error.message} />}>
      {(details.length > 0 || retry !== undefined) && (
        <Stack gap="xs" align="flex-start">
          {details.length > 0 && (
            <List size="sm">
              {details.map((detail) => (
                <List.Item key={detail}>
                  <ServerText text={detail} />
                </List.Item>
              ))}
            </List>
          )}
          {retry !== undefined && (
            <Button variant="default" onClick={() => void retry()}>
              {isRetrying ? 'Trying again …' : 'Try again'}
            </Button>
          )}
        </Stack>
      )}
    </Alert>
  );
}
