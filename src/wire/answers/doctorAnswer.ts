/** What Steward has seen of a request: how `steward doctor` learns what a proxy makes of it. */
export interface SeenRequest {
  /** The address of the client, as the audit log has it. */
  readonly address: string;
  readonly host: string;
  readonly protocol: string;
  /** The other end of the connection: the proxy, or the client itself. */
  readonly peer: string;
  readonly peerPort: number;
  readonly isPeerTrusted: boolean;
  /** The header as it arrived; empty if there is none. */
  readonly forwardedFor: string;
}

/** The time between the two events of the stream. A proxy that holds the first one back sends both together. */
export const EVENTS_APART_MS = 2000;

/** The header with the proof that a request comes from a holder of the master key. */
export const PROOF_HEADER = 'x-steward-proof';

/** The text that is signed. It is valid for a short time only, because proxies may log headers. */
export function proofText(at: number): string {
  return `steward doctor ${at}`;
}
