// State of a page that is kept in its address, so that it can be shared and survives a reload.
import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';

/** Browsers limit how often a page may change its address. */
const WRITE_AFTER_MS = 250;

/** A field in the query of the address; empty if it is absent. */
export function useAddressField(name: string): [string, (value: string) => void] {
  const value = new URLSearchParams(useSearch()).get(name) ?? '';
  const [path, navigate] = useLocation();
  const set = useCallback(
    (next: string): void => {
      // The address of now counts: another field may have changed since the page was drawn.
      const fields = new URLSearchParams(globalThis.location.search);
      if (next === '') fields.delete(name);
      else fields.set(name, next);
      navigate(fields.size === 0 ? path : `${path}?${fields.toString()}`, { replace: true });
    },
    [name, navigate, path],
  );
  return [value, set];
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
