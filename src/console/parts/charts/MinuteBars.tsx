import { dateFormat } from '../text/locale.ts';
export interface MinuteBar {
  readonly at: number;
  readonly delivered: number;
  readonly failed: number;
}

const [WIDTH, HEIGHT, GAP] = [600, 72, 2];
const CLOCK = dateFormat({ hour: '2-digit', minute: '2-digit' });

function textOf({ at, delivered, failed }: MinuteBar): string {
  return `${CLOCK.format(at)}: ${delivered} delivered${failed > 0 ? `, ${failed} failed` : ''}`;
}

/** Deliveries per minute as bars: delivered ones at the bottom, failed ones above them. */
export function MinuteBars({ minutes }: { readonly minutes: readonly MinuteBar[] }) {
  const highest = Math.max(1, ...minutes.map(({ delivered, failed }) => delivered + failed));
  const step = WIDTH / Math.max(1, minutes.length);
  const scale = (count: number): number => (count === 0 ? 0 : Math.max(2, (count / highest) * HEIGHT));
  const total = minutes.reduce((all, { delivered }) => all + delivered, 0);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="bars"
      role="img"
      aria-label={`${total} deliveries in the last ${minutes.length} minutes, at most ${highest} in a minute`}
    >
      {minutes.map((minute, n) => {
        const [good, bad] = [scale(minute.delivered), scale(minute.failed)];
        const [x, width] = [n * step, step - GAP];
        return (
          <g key={minute.at} data-hint={textOf(minute)}>
            <rect x={x} y={0} width={width} height={HEIGHT} className="ground" />
            <rect x={x} y={HEIGHT - good} width={width} height={good} className="good" />
            <rect x={x} y={HEIGHT - good - bad} width={width} height={bad} className="bad" />
          </g>
        );
      })}
    </svg>
  );
}
