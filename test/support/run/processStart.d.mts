export function startOf(processId: number): string;
