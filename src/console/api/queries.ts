// How the console reads and changes. What cannot be sent now fails now: nothing waits for the connection to come back.
import type { UseQueryResult } from '@tanstack/react-query';
import {
  MutationCache,
  QueryCache,
  QueryClient,
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { createElement, useEffect, useRef, useSyncExternalStore } from 'react';
import { ServerText } from './ServerText.tsx';
import type { Address, Answer, IfRequires, Reading, Sending, SentFields } from '../../wire/client/call.ts';
import type { Fields, GivenFields } from './client.ts';
import { ApiFailure, UncertainFailure, connection, get, isSignedOut, post } from './client.ts';
import type { Outage } from './connection.ts';
import { api } from './operations.ts';

const RETRY_AFTER_MS = 500;

/** A refusal does not change by asking again. During an outage, the page shows what it has, and reads again after it. */
function isWorthRetry(count: number, error: unknown): boolean {
  const { status } = error instanceof ApiFailure ? error : { status: 0 };
  return connection.outage() === undefined && navigator.onLine && (status === 0 || status >= 500) && count < 2;
}

export const SESSION_KEY = [api.access.session] as const;

/** Reads everything on the page again when an outage ends. */
function readAfterOutages(client: QueryClient): void {
  let wasAway = false;
  connection.subscribe(() => {
    const isAway = connection.outage() !== undefined;
    if (wasAway && !isAway) void client.invalidateQueries();
    wasAway = isAway;
  });
}

/** Why Steward cannot be used now; undefined while it answers. */
export function useOutage(): Outage | undefined {
  return useSyncExternalStore(connection.subscribe, connection.outage);
}

export function createQueryClient(): QueryClient {
  // Any request may be the first that finds the session ended. The page then reads the session, and asks to sign in.
  const noticeEnd = (error: Error): void => {
    if (isSignedOut(error)) void client.invalidateQueries({ queryKey: SESSION_KEY });
  };
  const client = new QueryClient({
    defaultOptions: {
      // `always`: by default, the library keeps requests until the browser is online, and sends a change when it is no longer expected.
      mutations: { networkMode: 'always', retry: false },
      queries: {
        networkMode: 'always',
        retry: isWorthRetry,
        retryDelay: RETRY_AFTER_MS,
        staleTime: 2000,
        refetchOnWindowFocus: true,
        refetchOnReconnect: true,
      },
    },
    queryCache: new QueryCache({
      onError(error, { queryKey }) {
        if (queryKey[0] !== SESSION_KEY[0]) noticeEnd(error);
      },
    }),
    mutationCache: new MutationCache({ onError: noticeEnd }),
  });
  readAfterOutages(client);
  return client;
}

type Interval = number | false;

interface ReadOptions<T> {
  /** Reads again after this time, as long as the page is visible. It may depend on the last answer. */
  readonly everyMs?: Interval | ((last: T | undefined) => Interval);
  readonly isEnabled?: boolean;
}

type ResourceOptions<S extends Reading> = ReadOptions<Answer<S>> &
  IfRequires<S, { readonly fields: SentFields<S, File> }, { readonly fields?: SentFields<S, File> }>;

/** Between two reads. During an outage there are none: only the probes ask. */
export function unlessAway(everyMs: Interval): Interval {
  return connection.outage() === undefined && everyMs;
}

/** A resource of the API. The former answer stays on the page while the next one is read. */
export function useResource<S extends Reading>(
  address: Address<S>,
  ...options: IfRequires<S, [options: ResourceOptions<S>], [options?: ResourceOptions<S>]>
): UseQueryResult<Answer<S>>;
export function useResource(
  address: Address<Reading>,
  { everyMs = false, isEnabled = true, fields = {} }: ReadOptions<unknown> & { readonly fields?: Fields } = {},
): UseQueryResult {
  return useQuery({
    queryKey: [address, fields],
    queryFn: ({ signal }) => get(address, fields, signal),
    refetchInterval: ({ state }) => unlessAway(typeof everyMs === 'function' ? everyMs(state.data) : everyMs),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });
}

/** Says in a notification that a change has failed. */
export function showFailure(error: unknown): void {
  notifications.show({
    color: 'red',
    title: error instanceof UncertainFailure ? 'No answer' : 'Not done',
    message: createElement(ServerText, { text: error instanceof Error ? error.message : String(error) }),
  });
}

/** Whether the component is on the page, for what ends later. */
export function useIsShown(): () => boolean {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return () => isShown.current;
}

export interface OperationOptions<T> {
  /** What a person reads when it is done. */
  readonly done?: string | ((answer: T) => string);
  readonly onDone?: (answer: T) => void;
  /** Whether the form shows the failure itself, so that no notification is needed while the form is open. */
  readonly isQuiet?: boolean;
}

/** An operation of the API. When it is done, everything on the page is read again. */
export function useOperation<S extends Sending>(address: Address<S>, options: OperationOptions<Answer<S>> = {}) {
  const client = useQueryClient();
  const isShown = useIsShown();
  return useMutation<Answer<S>, Error, GivenFields<S>>({
    mutationFn: (fields) => post(address, fields),
    onSuccess(answer) {
      const { done, onDone } = options;
      if (done !== undefined) notifications.show({ message: typeof done === 'string' ? done : done(answer) });
      onDone?.(answer);
      // Later, so that a page that `onDone` has left does not ask for what the operation has deleted or closed.
      setTimeout(() => void client.invalidateQueries());
    },
    onError(error) {
      if (!options.isQuiet || !isShown()) showFailure(error);
    },
  });
}
