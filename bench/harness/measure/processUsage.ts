import { readFileSync, readdirSync } from 'node:fs';

/** CPU time of all threads, from the scheduler's nanoseconds: the ticks in /proc/PID/stat are 10 ms each. */
export function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ', 1)[0]);
  return nanoseconds.reduce((sum, each) => sum + Number(each), 0) / 1000;
}

export function residentMb(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1024) / 1e6;
}

/** The ids of all processes of this machine. */
export function processIds(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** The fields of /proc/PID/stat after the name; undefined if the process has ended. The first is the state, the second the parent. */
export function processFields(pid: number): readonly number[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(') ') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return undefined;
  }
}
