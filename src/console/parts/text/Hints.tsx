// The tooltip of every element with `data-hint`. One for all of them: with one for each, a page with a thousand times and tiles would
// be blocked for seconds while they are made.
import { Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { ServerText } from '../../api/ServerText.tsx';

const DELAY_MS = 300;

function hintedElement({ target }: Event): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null;
}

export function Hints() {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [settled] = useDebouncedValue(element, DELAY_MS);
  useEffect(() => {
    const find = (event: Event): void => setElement(hintedElement(event));
    const events = ['mouseover', 'focusin'] as const;
    for (const name of events) document.addEventListener(name, find);
    return () => {
      for (const name of events) document.removeEventListener(name, find);
    };
  }, []);
  if (element === null) return undefined;
  return (
    <Tooltip
      target={element}
      opened={element === settled}
      label={
        <span className="lines">
          <ServerText text={element.dataset['hint'] ?? ''} />
        </span>
      }
      multiline
      maw={420}
    />
  );
}
