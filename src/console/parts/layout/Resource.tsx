import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useOutage } from '../../api/queries.ts';
import { Empty } from './Empty.tsx';
import { Problem } from './Problem.tsx';

export interface ResourceProps<T> {
  readonly of: UseQueryResult<T>;
  readonly children: (value: T) => ReactNode;
  /** How many lines the content will have, so that nothing jumps when it comes. */
  readonly lines?: number;
}

/** The last failure, which stays on the page while it is tried again. */
function useFailure({ error, errorUpdateCount }: UseQueryResult): Error | null {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  return error ?? (errorUpdateCount > 0 ? last : null);
}

/** Shows a resource when it is there, and what went wrong if it is not. An answer that was shown stays while a later one fails. */
export function Resource<T>({ of, children, lines = 4 }: ResourceProps<T>) {
  const failure = useFailure(of);
  const outage = useOutage();
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (failure !== null) return <Problem error={failure} retry={of.refetch} isRetrying={of.isFetching} />;
  if (outage !== undefined) return <Empty title="Not loaded yet" text="It is shown as soon as Steward answers." />;
  return (
    <Stack gap="xs" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: lines }, (_, n) => (
        <Skeleton key={n} height={20} />
      ))}
    </Stack>
  );
}
