import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SERVER } from '../../api/server.ts';
import { updateAction } from './reloadRule.ts';
import { wouldLoseInput } from './unsavedInput.ts';

const KEY = 'steward.reloadedFor';

/** The versions for which this tab has reloaded; undefined if the browser does not let it remember them. */
function reloadedFor(): readonly string[] | undefined {
  try {
    return (sessionStorage.getItem(KEY) ?? '').split(' ');
  } catch {
    return undefined;
  }
}

/** Reloads for a version. A tab that cannot remember it does not reload, because it would do so again and again. */
function reloadFor(version: string, before: readonly string[]): void {
  try {
    sessionStorage.setItem(KEY, [...before, version].join(' '));
  } catch {
    return;
  }
  globalThis.location.reload();
}

/** Reloads the tab after an update of Steward, unless that would lose input. It looks each time that the server has answered. */
export function useUpdate(version: string | undefined, answeredAt: number): void {
  const client = useQueryClient();
  useEffect(() => {
    const before = reloadedFor();
    if (version === undefined || before === undefined) return;
    const facts = { page: SERVER.version, server: version, wouldLoseInput: wouldLoseInput(client) };
    if (updateAction({ ...facts, reloadedFor: before }) === 'reload') reloadFor(version, before);
  }, [client, version, answeredAt]);
}
