/** Closes a switch over a union: a new member becomes a compile error at every place that must handle it. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
