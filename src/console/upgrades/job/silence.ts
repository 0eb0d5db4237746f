// Decides when a page that follows a stream reads by itself. The signs of life in a stream are comments, which a browser does not pass on.
// So the page cannot tell a job that has nothing to say from a stream that a proxy holds back. Reading now and then is right for both.
const SILENT_AFTER_MS = 5000;
/** A read that brought something shows that the stream is held back. */
const AFTER_NEWS_MS = 2000;

export interface Silence {
  /** Something has arrived over the stream. */
  break(): void;
  end(): void;
}

/** Reads while the stream is silent. `read` tells whether it brought something new; what arrives over the stream while it reads makes it outdated. */
export function watchSilence(read: (isOutdated: () => boolean) => Promise<boolean>): Silence {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let arrivals = 0;

  async function readNow(): Promise<void> {
    const before = arrivals;
    const isOutdated = (): boolean => arrivals !== before;
    const isNews = await read(isOutdated).catch(() => false);
    if (!isOutdated()) wait(isNews ? AFTER_NEWS_MS : SILENT_AFTER_MS);
  }

  function wait(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void readNow(), ms);
  }

  wait(SILENT_AFTER_MS);
  return {
    break() {
      arrivals += 1;
      wait(SILENT_AFTER_MS);
    },
    end() {
      arrivals += 1;
      clearTimeout(timer);
    },
  };
}
