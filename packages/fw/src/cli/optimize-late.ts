import { setFlagsFromString } from "node:v8";

/** The flag that moves optimization by Node's major version, for an engine that does not know it says so on standard error. */
const flags: Readonly<Record<string, string>> = {
  "20": "--interrupt-budget=1000000",
  "22": "--invocation-count-for-turbofan=30000",
  "24": "--invocation-count-for-turbofan=30000",
};

/**
 * Has functions run some ten times as often as by default before they are compiled with optimizations: in a process that ends soon, a quarter of the
 * processor's time would go into code that hardly runs any more.
 */
export function optimizeLate(): void {
  const flag = flags[process.versions.node.split(".")[0] ?? ""];
  if (flag !== undefined) setFlagsFromString(flag);
}
