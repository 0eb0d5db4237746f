/** Between these shares of a backlog a process is neither starting up nor running out of work. */
const [FROM, TO] = [0.25, 0.9];

interface Arrivals {
  count(): Promise<{ readonly requests: number }>;
  reach(requests: number): Promise<void>;
}

/** Measures while the middle of a backlog is worked off: its rate, and by how much each value of `read` grows for a delivery. */
export async function measureDrainedShare<K extends string>(
  receivers: Arrivals,
  deliveries: number,
  read: () => Readonly<Record<K, number>>,
): Promise<{ readonly perSecond: number; readonly perDelivery: (key: K) => number }> {
  const look = async () => ({ values: read(), arrived: (await receivers.count()).requests, at: performance.now() });
  await receivers.reach(deliveries * FROM);
  const before = await look();
  await receivers.reach(deliveries * TO);
  const after = await look();
  await receivers.reach(deliveries);
  const arrived = after.arrived - before.arrived;
  return {
    perSecond: (arrived * 1000) / (after.at - before.at),
    perDelivery: (key) => (after.values[key] - before.values[key]) / arrived,
  };
}
