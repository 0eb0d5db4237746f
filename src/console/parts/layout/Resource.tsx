import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from './Problem.tsx';

export interface ResourceProps<T> {
  readonly of: UseQueryResult<T>;
  readonly children: (value: T) => ReactNode;
  /** How many lines the content will have, so that nothing jumps when it comes. */
  readonly lines?: number;
}

/** Shows a resource when it is there, and what went wrong if it is not. An answer that was shown stays while a later one fails. */
export function Resource<T>({ of, children, lines = 4 }: ResourceProps<T>) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== null) return <Problem error={of.error} retry={of.refetch} />;
  return (
    <Stack gap="xs" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: lines }, (_, n) => (
        <Skeleton key={n} height={20} />
      ))}
    </Stack>
  );
}
