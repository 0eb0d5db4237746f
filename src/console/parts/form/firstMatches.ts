import type { ComboboxItem, OptionsFilter } from '@mantine/core';
import { numberText } from '../text/locale.ts';

/** To draw thousands of options takes seconds, and no one scrolls through them. */
const MOST = 50;

/** The options of a select that match what is typed, as far as they fit, and how many more there are. Options have no groups here. */
export const firstMatches: OptionsFilter = ({ options, search }) => {
  const wanted = search.trim().toLowerCase();
  const found = options.filter(
    (one): one is ComboboxItem => 'label' in one && one.label.toLowerCase().includes(wanted),
  );
  if (found.length <= MOST) return found;
  const more = `${numberText(found.length - MOST)} more. Type a part of the name.`;
  return [...found.slice(0, MOST), { value: '\0more', label: more, disabled: true }];
};
