import { setFlagsFromString } from "node:v8";

/** The major versions of Node whose engine has the flag; another would say so on standard error. */
const known: ReadonlySet<string> = new Set(["20", "22", "24"]);

/**
 * How much the engine's room for new objects grows at a time, which is twice up to 32 MB by default: 1 has it stay as it is. Most of what
 * an analysis makes stays, so that beyond some megabytes more room takes memory and saves no work.
 */
export function growYoungGeneration(times: number): void {
  if (known.has(process.versions.node.split(".")[0] ?? "")) setFlagsFromString(`--semi-space-growth-factor=${times}`);
}
