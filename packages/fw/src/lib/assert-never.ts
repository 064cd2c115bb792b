/** Ends a switch over a union, so that a new member is a compile error everywhere it must be handled. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
