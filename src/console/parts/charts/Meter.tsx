import type { Tone } from '../text/tone.ts';
import { numberText } from '../text/locale.ts';

export interface MeterPart {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
}

/** Parts of a whole, as one bar with their numbers below it. The numbers add up to the whole. */
export function Meter({ parts }: { readonly parts: readonly MeterPart[] }) {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  return (
    <div>
      <div className="meter" aria-hidden="true">
        {parts
          .filter(({ count }) => count > 0)
          .map(({ name, count, tone }) => (
            <span key={name} data-tone={tone} style={{ flexGrow: count / Math.max(1, total) }} />
          ))}
      </div>
      <dl className="legend">
        {parts.map(({ name, count, tone }) => (
          <div key={name}>
            <dt>
              <span className="swatch" data-tone={tone} aria-hidden="true" />
              {name}
            </dt>
            <dd className="number">{numberText(count)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
