/**
 * Returns the number of tries for a property test: `count`, multiplied by FW_TRIES if that is set. The suite needs few,
 * because it runs often and tries other values each time.
 */
export function tries(count: number): number {
  return count * Number(process.env["FW_TRIES"] ?? 1);
}

/** True if FW_TRIES is set, as it is every night. Enables tests that are slow and rarely fail. */
export const triesMore: boolean = process.env["FW_TRIES"] !== undefined;
