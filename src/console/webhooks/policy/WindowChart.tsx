import { useElementSize } from '@mantine/hooks';
import type { ExampleFailure, PolicyValues } from './attemptTimeline.ts';
import { exampleFailures } from './attemptTimeline.ts';

const HEIGHT = 176;
const TOP = 28;
const BOTTOM = 148;
const LEFT = 4;
const RIGHT = 12;
const MOST_STEPS = 30;
/** Days are labelled at least this far apart. */
const LABEL_DISTANCE = 56;

interface Scale {
  readonly x: (share: number) => number;
  readonly y: (share: number) => number;
}

function scaleOf(width: number): Scale {
  return {
    x: (share) => LEFT + share * Math.max(0, width - LEFT - RIGHT),
    y: (share) => BOTTOM - share * (BOTTOM - TOP),
  };
}

function Days({ days, width, scale }: { readonly days: number; readonly width: number; readonly scale: Scale }) {
  const step = Math.max(1, Math.ceil((days * LABEL_DISTANCE) / Math.max(1, width)));
  const marks = Array.from({ length: Math.ceil(days / step) }, (_, n) => n * step);
  return (
    <>
      {marks.map((day) => (
        <g key={day}>
          <line x1={scale.x(day / days)} x2={scale.x(day / days)} y1={TOP} y2={BOTTOM} className="grid" />
          <text x={scale.x(day / days) + 3} y={BOTTOM + 16} className="quiet">
            day {day + 1}
          </text>
        </g>
      ))}
      <line x1={scale.x(1)} x2={scale.x(1)} y1={TOP} y2={BOTTOM} className="grid" />
    </>
  );
}

/** The count of failures as a staircase. */
function stairs(failures: readonly ExampleFailure[], allowed: number, { x, y }: Scale): string {
  const steps = failures.map(({ at, count }) => `H${x(at)}V${y(count / allowed)}`);
  return `M${x(0)} ${y(0)}${steps.join('')}`;
}

interface LimitProps {
  readonly share: number;
  readonly text: string;
  readonly name: string;
  readonly scale: Scale;
}

function Limit({ share, text, name, scale }: LimitProps) {
  return (
    <g>
      <line x1={scale.x(0)} x2={scale.x(1)} y1={scale.y(share)} y2={scale.y(share)} className={name} />
      <text x={scale.x(0) + 4} y={scale.y(share) - 6} className={name === 'limit' ? 'bad' : 'quiet'}>
        {text}
      </text>
    </g>
  );
}

/** How failures within the window add up to the deactivation, with an example. */
export function WindowChart({ policy }: { readonly policy: PolicyValues }) {
  const { ref, width } = useElementSize();
  const { daysInPast: days, numberOfFailures: allowed } = policy;
  const scale = scaleOf(width);
  const failures = exampleFailures(allowed, MOST_STEPS);
  const half = Math.ceil(allowed / 2);
  const last = failures.at(-1);
  const caption = `The first failure opens a window of ${days} UTC ${days === 1 ? 'day' : 'days'}, with its own day. At ${allowed} ${allowed === 1 ? 'failure' : 'failures'} within it, the webhook is deactivated and its deliveries are held.`;
  return (
    <figure className="chart" ref={ref}>
      <svg width={width} height={HEIGHT} role="img" aria-label={caption}>
        <Days days={days} width={width} scale={scale} />
        {half < allowed && (
          <Limit share={half / allowed} text={`${half}: event webhook.failing`} name="half" scale={scale} />
        )}
        <Limit share={1} text={`${allowed}: deactivated`} name="limit" scale={scale} />
        <path d={stairs(failures, allowed, scale)} className="stairs" />
        {failures.length <= 12 &&
          failures.map(({ at, count }) => (
            <circle key={count} cx={scale.x(at)} cy={scale.y(count / allowed)} r={3} className="dot" />
          ))}
        {last !== undefined && <circle cx={scale.x(last.at)} cy={scale.y(1)} r={5} className="end" />}
      </svg>
      <figcaption>
        {caption} If fewer fail, the window ends, and the next failure opens a new one, which takes over the failures of
        the {days === 1 ? 'same day' : `${days - 1} days before it`}.
      </figcaption>
    </figure>
  );
}
