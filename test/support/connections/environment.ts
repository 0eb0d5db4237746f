import type { Place } from './shortRun.ts';
import type { TestCluster } from './testCluster.ts';

/** What the environments of a test file share, and where they leave what must be closed. */
export interface Servers {
  /** Takes TLS 1.3 only, where it takes TLS. */
  readonly main: TestCluster;
  /** Takes TLS 1.2 only. */
  readonly older: TestCluster;
  closeLater(close: () => unknown): void;
}

/** A way to connect that is supported. The title completes the sentence "Steward works …". */
export interface Environment {
  readonly title: string;
  prepare(servers: Servers): Promise<Place>;
}
