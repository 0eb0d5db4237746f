/** The result of one attempt. A receiver that answers 500 or not at all is an expected outcome, not an error. */
export type AttemptOutcome = { readonly durationMs: number; readonly answer: string } & (
  | { readonly kind: 'accepted'; readonly status: number }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string; readonly retryAfterMs?: number }
  | { readonly kind: 'unreachable'; readonly reason: string }
);

/** Steward itself had no file descriptor, port, buffer or memory left, so nothing was sent. This is not an attempt. */
export interface NotSent {
  readonly kind: 'notSent';
  readonly reason: string;
  readonly durationMs: number;
  readonly answer: string;
}

export type SendOutcome = AttemptOutcome | NotSent;

/** One HTTP request of a delivery. */
export interface AttemptRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** One deadline for name look-up, connection, TLS, and head and body of the answer. */
  readonly timeoutMs: number;
}

/** The connection to receivers that the courier needs. */
export interface Receiver {
  /**
   * Never rejects. Keeps at most 64 KiB of the answer, counted after decompression. When `signal` aborts, the outcome is
   * `unreachable` at once.
   */
  send(request: AttemptRequest, signal?: AbortSignal): Promise<SendOutcome>;
  /**
   * Why this URL is not allowed, in words that name the setting to change; undefined when it is allowed. It names the
   * address behind a host name only with `namesAddress`.
   */
  problemWith(url: string, namesAddress?: boolean): Promise<string | undefined>;
  close(): Promise<void>;
}
