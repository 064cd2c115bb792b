/** Passes Node's own warnings, such as deprecations, to `report` instead of printing them. */
export function reportWarnings(report: (sentence: string) => void): void {
  // Node's own listener prints warnings.
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => report(`${name}: ${message}`));
}
