/** Flags of a server whose work has one order only. */
export const ONE_BY_ONE = ['--upgrade-parallel', '1', '--webhook-concurrency', '1'];
