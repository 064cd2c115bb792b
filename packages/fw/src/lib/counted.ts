/** Formats a count with its noun: `1 error`, `2 errors`. */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
