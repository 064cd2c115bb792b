import { setFlagsFromString } from "node:v8";

const nodeMajor = process.versions.node.split(".")[0] ?? "";

/** The flag that delays optimization, by major version of Node, because the engine warns about unknown flags. */
const lateOptimization: Readonly<Record<string, string>> = {
  "20": "--interrupt-budget=300000",
  "22": "--invocation-count-for-turbofan=30000",
  "24": "--invocation-count-for-turbofan=30000",
};

/**
 * Tunes this process for an analysis and loads its modules. The young generation grows from 1 MB to `youngMb` while
 * they load, and no further.
 */
export async function loadForAnalysis<T>(youngMb: number, load: () => Promise<T>): Promise<T> {
  optimizeLate();
  returnMemory(process.env);
  growYoungGeneration(youngMb);
  const modules = await load();
  growYoungGeneration(1);
  return modules;
}

/**
 * Makes functions run four to ten times as often before the engine optimizes them. In a short process, a quarter of the
 * CPU time would otherwise be spent on optimizing code that hardly runs again.
 */
function optimizeLate(): void {
  const flag = lateOptimization[nodeMajor];
  if (flag !== undefined) setFlagsFromString(flag);
}

/** Sets the growth factor of V8's young generation. By default it doubles, up to 16 or 32 MB. */
export function growYoungGeneration(factor: number): void {
  if (nodeMajor in lateOptimization) setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/**
 * Makes the parser's allocator return freed memory to the system immediately. It reads the environment when the parser
 * loads; a value that the user set takes precedence.
 */
export function returnMemory(env: NodeJS.ProcessEnv): void {
  env["MIMALLOC_PURGE_DELAY"] ??= "0";
}
