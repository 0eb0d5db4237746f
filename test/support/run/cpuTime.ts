/** The CPU time that an action takes in this process, in milliseconds. Unlike wall time it does not depend on other processes. */
export async function cpuTimeOf(action: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
