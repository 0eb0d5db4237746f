export type LogFields = Readonly<Record<string, unknown>>;

/** The log line of one answered request. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly from: string;
  readonly who: string;
}

/** A structured log: values go into the fields, the message is constant. Never log a token, a password or a body. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  request(line: RequestLine): void;
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  request: () => undefined,
};
