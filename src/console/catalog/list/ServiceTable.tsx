// The rows of the catalog. Only those on the screen are drawn, so that thousands scroll and filter without delay.
import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { CSSProperties, KeyboardEvent } from 'react';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { serviceLink } from '../../links.ts';
import { ServiceAccess, ServiceState } from '../ServiceLabels.tsx';
import type { IndexedService } from '../catalogIndex.ts';

const ROW = 36;
const NARROW_ROW = 60;
const EXTRA_ROWS = 12;

interface RowProps {
  readonly service: IndexedService;
  readonly hasFolder: boolean;
  readonly start: number;
  readonly height: number;
  readonly row: number;
}

const Row = memo(function Row({ service, hasFolder, start, height, row }: RowProps) {
  const { label, folderName, serviceName, type, state, access, description } = service;
  const style: CSSProperties = { height, transform: `translateY(${start}px)` };
  return (
    <div role="row" aria-rowindex={row} className="serviceRow" style={style}>
      <div role="cell" className="serviceName">
        <Link href={serviceLink(label)} className="plain rowLink" title={label}>
          {hasFolder && folderName !== '' && <span className="muted">{folderName} / </span>}
          {serviceName}
        </Link>
      </div>
      <div role="cell" className="serviceType muted">
        {type}
      </div>
      <div role="cell" className="serviceState">
        <ServiceState state={state} />
      </div>
      <div role="cell" className="serviceAccess">
        <ServiceAccess access={access} />
      </div>
      <div role="cell" className="serviceText muted">
        {description}
      </div>
    </div>
  );
});

/** Arrow keys go from row to row. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = document.activeElement?.closest('.serviceRow');
  if (step === undefined || row === null || row === undefined) return;
  const index = Number(row.getAttribute('aria-rowindex')) + step;
  const next = event.currentTarget.querySelector<HTMLElement>(`[aria-rowindex="${index}"] a`);
  if (next === null) return;
  event.preventDefault();
  next.focus();
}

export interface ServiceTableProps {
  readonly services: readonly IndexedService[];
  /** Whether the folder stands before each name. */
  readonly hasFolders: boolean;
}

export function ServiceTable({ services, hasFolders }: ServiceTableProps) {
  const list = useRef<HTMLDivElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const isNarrow = useMediaQuery('(max-width: 720px)', globalThis.innerWidth <= 720) ?? false;
  const height = isNarrow ? NARROW_ROW : ROW;
  useLayoutEffect(() => {
    const top = list.current?.getBoundingClientRect().top ?? 0;
    setScrollMargin(top + globalThis.scrollY);
  }, [isNarrow]);
  const rows = useWindowVirtualizer({
    count: services.length,
    estimateSize: () => height,
    overscan: EXTRA_ROWS,
    scrollMargin,
    getItemKey: (n) => services[n]?.label ?? n,
  });
  useLayoutEffect(() => rows.measure(), [rows, height]);
  return (
    <div role="table" aria-label="Services" aria-rowcount={services.length + 1} onKeyDown={moveFocus}>
      <div role="row" aria-rowindex={1} className="serviceHead muted">
        {['Name', 'Type', 'State', 'Access', 'Description'].map((name) => (
          <div role="columnheader" key={name}>
            {name}
          </div>
        ))}
      </div>
      <div role="rowgroup" ref={list} className="serviceRows" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const service = services[index];
          return service === undefined ? undefined : (
            <Row
              key={service.label}
              service={service}
              hasFolder={hasFolders}
              start={start - scrollMargin}
              height={height}
              row={index + 2}
            />
          );
        })}
      </div>
    </div>
  );
}
