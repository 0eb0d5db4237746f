import type { ReactNode } from 'react';
import type { Tone } from './tone.ts';
import type { IconName } from './Icon.tsx';
import { Icon } from './Icon.tsx';

const ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'check',
  busy: 'spin',
  warn: 'warning',
  bad: 'cross',
  calm: 'dot',
};

export interface StateLabelProps {
  readonly tone: Tone;
  readonly text: ReactNode;
  readonly icon?: IconName;
}

/** A state, by an icon and a word; the colour only helps. */
export function StateLabel({ tone, text, icon = ICONS[tone] }: StateLabelProps) {
  return (
    <span className="state" data-tone={tone}>
      <Icon name={icon} size={14} />
      <span>{text}</span>
    </span>
  );
}
