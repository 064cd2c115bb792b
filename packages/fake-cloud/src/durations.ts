/** Milliseconds of a duration as Google writes it: `3.5s`. */
export function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text.replace(/s$/, "")) * 1000;
}
