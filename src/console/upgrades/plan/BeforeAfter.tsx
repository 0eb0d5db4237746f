import { printable } from '../../../foundation/text/printable.ts';

/** A value may be any text, so that an absent one must look different from all of them. */
function Value({ value }: { readonly value: string | null }) {
  if (value === null) return <span className="muted">(absent)</span>;
  return value === '' ? <span className="muted">(empty)</span> : <code>{printable(value)}</code>;
}

export interface BeforeAfterProps {
  /** null if it is not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** A value before and after the job. */
export function BeforeAfter({ before, after }: BeforeAfterProps) {
  return (
    <div className="beforeAfter">
      <Value value={before} />
      <span className="muted" aria-label="becomes" role="img">
        {' → '}
      </span>
      <Value value={after} />
    </div>
  );
}
