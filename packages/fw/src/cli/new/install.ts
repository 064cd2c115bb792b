import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IO } from "../io.ts";

/** Runs a package manager in the new application. If that fails, prints the reason and returns false. */
export async function install([program = "", ...args]: readonly string[], root: string, io: IO): Promise<boolean> {
  const line = [program, ...args].join(" ");
  io.out.write(`${line}\n`);
  const child = spawn(program, args, { cwd: root, env: io.env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const stopListening = io.onStop(() => child.kill());
  try {
    const [code] = (await once(child, "close")) as [number | null];
    if (code === 0) return true;
    io.err.write(`${output}fw: "${line}" failed; the files were written, so run it again once the cause is fixed\n`);
  } catch (error) {
    io.err.write(`fw: cannot run "${line}" (${(error as Error).message}); the files were written\n`);
  } finally {
    stopListening();
  }
  return false;
}
