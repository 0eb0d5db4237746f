import type { InfiniteData } from '@tanstack/react-query';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { FieldsOf } from '../../api/operations.ts';
import { api } from '../../api/operations.ts';
import { get } from '../../api/client.ts';
import type { AuditEntries, AuditEntry } from '../answers.ts';

const PAGE = 500;

/** The audit log, newest first. The server selects by the fields; older entries are read with `fetchNextPage`. */
export function useAuditLog(fields: FieldsOf<typeof api.access.audit>) {
  const log = useInfiniteQuery<AuditEntries, Error, InfiniteData<AuditEntries>, readonly unknown[], number | undefined>(
    {
      queryKey: [api.access.audit, fields],
      queryFn: ({ pageParam, signal }) => get(api.access.audit, { ...fields, limit: PAGE, before: pageParam }, signal),
      // All loaded pages would be read again, so this is done on request only.
      staleTime: Infinity,
      refetchOnMount: 'always',
      placeholderData: keepPreviousData,
      initialPageParam: undefined,
      getNextPageParam: ({ entries }) => (entries.length < PAGE ? undefined : entries.at(-1)?.id),
    },
  );
  const { data } = log;
  const entries = useMemo((): readonly AuditEntry[] => data?.pages.flatMap((page) => page.entries) ?? [], [data]);
  return { ...log, entries };
}
