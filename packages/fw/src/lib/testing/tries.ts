/**
 * How often a property is tried: `count` times in the suite, FW_TRIES times as often where that is set. A few tries in
 * each of many runs of the suite see as much as many in one.
 */
export function tries(count: number): number {
  return count * Number(process.env["FW_TRIES"] ?? 1);
}

/** True where FW_TRIES asks for more than the suite tries, as every night. Runs what takes long and rarely differs. */
export const triesMore: boolean = process.env["FW_TRIES"] !== undefined;
