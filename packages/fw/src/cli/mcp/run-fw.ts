import { spawn } from "node:child_process";
import { join } from "node:path";
import { ownDirectory } from "../../lib/own-modules.ts";
import type { ToolContext } from "./tool.ts";

/** Characters of a command's output that are kept: the end of a test report matters more than its beginning. */
const keptOutput = 1_000_000;

interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of this fw in the application, in a separate process, and ends it when the call is cancelled. */
export async function runFw(args: readonly string[], { root, env, signal }: ToolContext): Promise<CommandResult> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [join(ownDirectory, "../bin/fw.js"), ...args], {
    cwd: root,
    env: { ...env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  const [out, err] = [keepEnd(child.stdout), keepEnd(child.stderr)];
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject).once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  return { code, out: out(), err: err() };
}

function keepEnd(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    text = (text + piece).slice(-keptOutput);
  });
  return () => text;
}
