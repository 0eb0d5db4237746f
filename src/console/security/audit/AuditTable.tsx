import { ActionIcon, Tooltip } from '@mantine/core';
import { Fragment, memo } from 'react';
import { Link } from 'wouter';
import { jobLink, labelOf, serviceLink, webhookLink } from '../../links.ts';
import { Difference } from '../../parts/difference/Difference.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { Time } from '../../parts/text/Time.tsx';
import type { AuditEntry } from '../answers.ts';
import { dayOf } from './auditSearch.ts';

function textAt(state: unknown, name: string): string {
  const found: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, name) : undefined;
  return typeof found === 'string' ? found : '';
}

/** The page of a webhook is below its service, which the entry has as the scope; a webhook of the system has no names. */
function webhookPage({ before, after }: AuditEntry, id: string): string | undefined {
  const state = after ?? before;
  const scope: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, 'scope') : undefined;
  if (scope === undefined) return undefined;
  const name = textAt(scope, 'name');
  return webhookLink(name === '' ? 'system' : labelOf(textAt(scope, 'folder'), name, textAt(scope, 'type')), id);
}

/** The page of a target, if there is one. */
function pageOf(entry: AuditEntry): string | undefined {
  const { target } = entry;
  const [kind = '', ...rest] = target.split(' ');
  const name = rest.join(' ');
  if (kind === 'service') return serviceLink(name);
  if (kind === 'webhook') return webhookPage(entry, name);
  if (kind === 'job') return jobLink(name);
  if (kind === 'folder') return `/catalog?${new URLSearchParams({ folder: name }).toString()}`;
  if (kind === 'user') return '/users';
  return undefined;
}

interface EntryProps {
  readonly entry: AuditEntry;
  readonly onTarget: (target: string) => void;
}

function Target({ entry, onTarget }: EntryProps) {
  const { target } = entry;
  const page = pageOf(entry);
  return (
    <span className="auditTargetLine">
      {page === undefined ? (
        <span className="wrap">{target}</span>
      ) : (
        <Link href={page} className="link wrap">
          {target}
        </Link>
      )}
      <Tooltip label="Show only this target">
        <ActionIcon size="sm" onClick={() => onTarget(target)} aria-label={`Show only ${target}`}>
          <Icon name="search" size={12} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}

const Entry = memo(function Entry({ entry, onTarget }: EntryProps) {
  const { when, who, from, requestId, action, before, after } = entry;
  return (
    <div role="row" className="auditRow">
      <div role="cell" className="auditTime number">
        <Time at={when} as="clock" />
      </div>
      <div role="cell" className="auditWho">
        <span className="wrap">{who}</span>
        <div className="muted wrap" title={`Request ${requestId}`}>
          {from}
        </div>
      </div>
      <div role="cell" className="auditAction">
        <code>{action}</code>
        <Target entry={entry} onTarget={onTarget} />
      </div>
      <div role="cell" className="auditChange">
        <Difference before={before} after={after} />
      </div>
    </div>
  );
});

export interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  readonly now: number;
  readonly onTarget: (target: string) => void;
}

/** The entries, newest first, under the day on which they were made. */
export function AuditTable({ entries, now, onTarget }: AuditTableProps) {
  return (
    <div role="table" aria-label="Changes">
      <div role="row" className="auditRow auditHead muted">
        {['Time', 'Who, from where', 'Action and target', 'Change'].map((name) => (
          <div role="columnheader" key={name}>
            {name}
          </div>
        ))}
      </div>
      {entries.map((entry, n) => {
        const day = dayOf(entry.when, now);
        const isNewDay = n === 0 || dayOf(entries[n - 1]?.when ?? 0, now) !== day;
        return (
          <Fragment key={entry.id}>
            {isNewDay && (
              <div role="row" className="auditDay">
                <span role="cell">{day}</span>
              </div>
            )}
            <Entry entry={entry} onTarget={onTarget} />
          </Fragment>
        );
      })}
    </div>
  );
}
