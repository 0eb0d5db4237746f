/** Reads a value when it is first needed. After an error it is read again. */
export function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    if (reading !== undefined) return reading;
    const started = read();
    reading = started;
    started.catch(() => (reading = undefined));
    return started;
  };
}
