/** What came of one attempt. A receiver that answers 500, or not at all, is normal life and no error of ours. */
export type AttemptOutcome = { readonly durationMs: number; readonly answer: string } & (
  | { readonly kind: 'accepted'; readonly status: number }
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfterMs?: number }
  | { readonly kind: 'unreachable'; readonly reason: string }
);

export interface AttemptRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** One deadline over look-up, connection, TLS, head and body of the answer. */
  readonly timeoutMs: number;
}

/** The world of receivers, as the courier needs it. */
export interface Receiver {
  /** Never rejects. At most 64 KiB of the answer is kept, counted after decompression. Aborted, it is unreachable at once. */
  send(request: AttemptRequest, signal?: AbortSignal): Promise<AttemptOutcome>;
  /** Why nothing may be sent to this address, in words that name the setting to change; undefined when it is allowed. */
  problemWith(url: string): Promise<string | undefined>;
  close(): Promise<void>;
}
