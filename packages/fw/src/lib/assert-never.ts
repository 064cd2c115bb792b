/** Ends a switch over a union, so that an unhandled member of the union is a compile error. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
