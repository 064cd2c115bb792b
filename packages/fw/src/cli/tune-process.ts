import { setFlagsFromString } from "node:v8";

const nodeMajor = process.versions.node.split(".")[0] ?? "";

interface OptimizationFlag {
  readonly name: string;
  readonly late: number;
  /** The engine's own value. */
  readonly usual: number;
}

const turbofanCount: OptimizationFlag = { name: "--invocation-count-for-turbofan", late: 30_000, usual: 3_000 };

/** The flag that delays optimization, for known major versions of Node only: the engine warns about unknown flags. */
export const optimizationFlags: Readonly<Record<string, OptimizationFlag>> = {
  "20": { name: "--interrupt-budget", late: 300_000, usual: 67_584 },
  "22": turbofanCount,
  "24": turbofanCount,
};

/**
 * Tunes this process for an analysis and loads its modules. The young generation grows from 1 MB to `youngMb`, but only
 * during the load.
 */
export async function loadForAnalysis<T>(youngMb: number, load: () => Promise<T>): Promise<T> {
  setOptimization("late");
  returnMemory(process.env);
  growYoungGeneration(youngMb);
  const modules = await load();
  growYoungGeneration(1);
  return modules;
}

/**
 * Sets how often functions must run before the engine optimizes them: "late" is four to ten times as often as "usual".
 * In a short process, a quarter of the CPU time would otherwise be spent on optimizing code that hardly runs again.
 */
export function setOptimization(moment: "late" | "usual"): void {
  const flag = optimizationFlags[nodeMajor];
  if (flag !== undefined) setFlagsFromString(`${flag.name}=${flag[moment]}`);
}

/** Sets the growth factor of V8's young generation, which doubles by default, up to 16 or 32 MB. */
export function growYoungGeneration(factor: number): void {
  if (nodeMajor in optimizationFlags) setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/**
 * Makes the parser's allocator return freed memory to the system immediately. It reads the environment when the parser
 * loads; a value that the user set takes precedence.
 */
export function returnMemory(env: NodeJS.ProcessEnv): void {
  env["MIMALLOC_PURGE_DELAY"] ??= "0";
}
