import inspector from "node:inspector";
import type { Inspect } from "../protocol.ts";

/** Opens the debugger's port in the process that is about to run the application. */
export function attachInspector({ host, port, wait }: Inspect): void {
  try {
    inspector.open(port, host);
  } catch (error) {
    process.stderr.write(`The debugger cannot listen on ${host}:${port}: ${(error as Error).message}\n`);
    return;
  }
  if (wait) inspector.waitForDebugger();
}
