// State of a page that is kept in its address, so that it can be shared and survives a reload.
import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';

/** Browsers limit how often a page may change its address. */
const WRITE_AFTER_MS = 250;

export type FilterChanges = Readonly<Record<string, string | undefined>>;

/** The fields in the query of the address, and a function that changes some of them. An empty value removes a field. */
export function useAddressFilter() {
  const [, navigate] = useLocation();
  // The search hook of the router decodes twice, which breaks values with a percent sign.
  const filter = new URLSearchParams(useSearch());
  const change = useCallback(
    (changes: FilterChanges, { replace = true }: { readonly replace?: boolean } = {}): void => {
      // The address of now counts: another field may have changed since the page was drawn.
      const { pathname, search } = globalThis.location;
      const next = new URLSearchParams(search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, value);
      }
      navigate(`~${pathname}${next.size === 0 ? '' : `?${next.toString()}`}`, { replace });
    },
    [navigate],
  );
  return [filter, change] as const;
}

/** A field in the query of the address; empty if it is absent. */
export function useAddressField(name: string): [string, (value: string) => void] {
  const [filter, change] = useAddressFilter();
  const set = useCallback((value: string): void => change({ [name]: value }), [change, name]);
  return [filter.get(name) ?? '', set];
}

export interface AddressText {
  readonly text: string;
  setText(next: string): void;
  /** Writes the text into the address at once, before another page is opened. */
  writeNow(): void;
}

/** A text that is typed: it is on the page at once, and in the address a moment later. */
export function useAddressText(name: string): AddressText {
  const [inAddress, write] = useAddressField(name);
  const [text, setText] = useState(inAddress);
  const written = useRef(inAddress);
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setText(inAddress);
  }, [inAddress]);
  const writeLater = useDebouncedCallback((next: string) => {
    written.current = next;
    write(next);
  }, WRITE_AFTER_MS);
  return {
    text,
    setText(next) {
      setText(next);
      writeLater(next);
    },
    writeNow: () => writeLater.flush(),
  };
}
