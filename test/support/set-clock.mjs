// Preloaded module that makes a process read the time (milliseconds since 1970) from a file that a test writes.
import { readFileSync } from "node:fs";

const file = process.env.FW_TEST_CLOCK;
const now = () => Number(readFileSync(file, "utf8"));
const origin = now();

// The monotonic clock returns the same time, relative to the start of the process.
performance.now = () => now() - origin;

globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }

  static now() {
    return now();
  }
};
