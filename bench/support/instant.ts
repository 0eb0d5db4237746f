/** In ms. The same clock in every process of this machine, and nobody sets it. */
export const instant = (): number => Number(process.hrtime.bigint()) / 1e6;
