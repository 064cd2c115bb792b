/** Reports Node's own warnings, such as deprecations, instead of printing them. */
export function reportWarnings(report: (sentence: string) => void): void {
  // Node prints a warning in a listener of its own.
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => report(`${name}: ${message}`));
}
