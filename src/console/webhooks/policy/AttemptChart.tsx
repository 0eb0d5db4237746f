import { useElementSize } from '@mantine/hooks';
import type { DrawnSegment, PolicyValues } from './attemptTimeline.ts';
import { placeSegments, secondsText, segmentsOf, totalSeconds } from './attemptTimeline.ts';

const HEIGHT = 96;
const LEAST_WIDTH = 30;
const END_WIDTH = 64;
const BAR = { y: 34, height: 20 };
/** A narrower segment has no room for its duration. */
const LABEL_FROM = 34;

function AttemptBar({ segment: { n, x, width, seconds } }: { readonly segment: DrawnSegment }) {
  return (
    <g>
      <text x={x} y={24} className="strong">
        {n}
      </text>
      <rect x={x} y={BAR.y} width={width} height={BAR.height} rx={3} className="attempt" />
      {width >= LABEL_FROM && (
        <text x={x} y={72} className="quiet">
          {secondsText(seconds)}
        </text>
      )}
    </g>
  );
}

function WaitLine({ segment: { x, width, seconds } }: { readonly segment: DrawnSegment }) {
  const y = BAR.y + BAR.height / 2;
  return (
    <g>
      <line x1={x + 3} x2={x + width - 3} y1={y} y2={y} className="wait" />
      {width >= LABEL_FROM && (
        <text x={x + width / 2} y={y - 6} textAnchor="middle" className="quiet">
          {secondsText(seconds)}
        </text>
      )}
    </g>
  );
}

function EndMark({ x, total }: { readonly x: number; readonly total: number }) {
  const y = BAR.y + BAR.height / 2;
  return (
    <g>
      <path d={`M${x + 6} ${y - 5}l10 10m0 -10l-10 10`} className="failure" />
      <text x={x + 22} y={y + 4} className="bad">
        failed
      </text>
      <text x={x + 6} y={72} className="quiet">
        {secondsText(total)}
      </text>
    </g>
  );
}

function captionOf({ notificationAttempts: attempts, ...policy }: PolicyValues, total: number): string {
  const limit = secondsText(policy.notificationTimeOutInSeconds);
  const wait = secondsText(policy.notificationElapsedTimeInSeconds);
  const course =
    attempts === 1
      ? `One attempt of up to ${limit}`
      : `${attempts} attempts of up to ${limit}, with ${wait} between them`;
  return `${course}: a delivery to a receiver that hangs has failed after ${secondsText(total)}. This is one failure.`;
}

/** The course of one delivery to a receiver that does not answer, over time. */
export function AttemptChart({ policy }: { readonly policy: PolicyValues }) {
  const { ref, width } = useElementSize();
  const segments = segmentsOf(policy);
  const total = totalSeconds(segments);
  const drawn = placeSegments(segments, Math.max(0, width - END_WIDTH), LEAST_WIDTH);
  const caption = captionOf(policy, total);
  return (
    <figure className="chart" ref={ref}>
      <svg width={width} height={HEIGHT} role="img" aria-label={caption}>
        {drawn.map((segment) =>
          segment.kind === 'attempt' ? (
            <AttemptBar key={segment.fromSeconds} segment={segment} />
          ) : (
            <WaitLine key={segment.fromSeconds} segment={segment} />
          ),
        )}
        <EndMark x={Math.max(0, width - END_WIDTH)} total={total} />
      </svg>
      <figcaption>
        {caption} {segments.length > 1 && 'Short times are drawn wider than they are.'}
      </figcaption>
    </figure>
  );
}
