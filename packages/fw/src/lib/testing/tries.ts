/**
 * The number of tries of a property: `count` in the suite, `count` times FW_TRIES if that is set. Few are enough in the
 * suite, because it runs often and tries other values each time.
 */
export function tries(count: number): number {
  return count * Number(process.env["FW_TRIES"] ?? 1);
}

/** True if FW_TRIES asks for more tries, as every night does. Runs tests that are slow and rarely fail. */
export const triesMore: boolean = process.env["FW_TRIES"] !== undefined;
