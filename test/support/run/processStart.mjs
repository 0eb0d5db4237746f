import { readFileSync } from 'node:fs';

/**
 * When a process began, in the kernel's count; empty if it is gone or the system does not tell. With its id, this names one process: ids
 * are used again, within minutes where suites run beside each other.
 * @param {number} processId
 */
export function startOf(processId) {
  try {
    // The name of the program is in parentheses and may have any character.
    return readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
