import { spawn } from "node:child_process";
import { once } from "node:events";
import { loadProbeMain } from "../../lib/own-modules.ts";
import type { LoadReport } from "./report.ts";

/**
 * The time limit for loading a bundle, in milliseconds. Its code may wait for something that this machine cannot reach.
 */
const ceilingMs = 30_000;

/** The maximum number of characters of output in a message. */
const mostOutput = 2_000;

export type LoadResult = (LoadReport | ProcessEnd | { readonly kind: "timeout"; readonly ms: number }) & {
  /** The end of standard output and standard error. */
  readonly output: string;
};

interface ProcessEnd {
  readonly kind: "ended";
  readonly exitCode: number | null;
}

/** Evaluates a bundle's modules in a child process, without a port or a platform. */
export async function loadBundle(main: string, env: Readonly<Record<string, string | undefined>>): Promise<LoadResult> {
  const child = spawn(process.execPath, ["--enable-source-maps", loadProbeMain, main], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-mostOutput)));
  let result: LoadReport | { readonly kind: "timeout"; readonly ms: number } | undefined;
  child.on("message", (report) => (result ??= report as LoadReport));
  const timer = setTimeout(() => {
    result ??= { kind: "timeout", ms: ceilingMs };
    child.kill("SIGKILL");
  }, ceilingMs);
  const [exitCode] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { ...(result ?? { kind: "ended", exitCode }), output: output.trim() };
}
