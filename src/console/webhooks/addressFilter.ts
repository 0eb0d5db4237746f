import { useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';

export type FilterChanges = Readonly<Record<string, string | undefined>>;

/** The filters of a list, kept in the address of the page, so that a link or a reload shows the same list. */
export function useAddressFilter() {
  const [, navigate] = useLocation();
  // The search hook of the router decodes twice, which breaks values with a percent sign.
  const filter = new URLSearchParams(useSearch());
  const change = (changes: FilterChanges, { replace = true }: { readonly replace?: boolean } = {}): void => {
    const next = new URLSearchParams(filter);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    navigate(`~${window.location.pathname}${text === '' ? '' : `?${text}`}`, { replace });
  };
  return [filter, change] as const;
}
