import { BundleMemo } from "../../build/memo.ts";
import { main } from "../main.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";

export interface Ran {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** A process without a terminal for input or output. */
export const silent: Omit<IO, "cwd" | "env"> = {
  out: { isTTY: false, write: () => {} },
  err: { isTTY: false, write: () => {} },
  input: { isTTY: false, secret: async () => "", line: async () => "", read: () => () => {} },
  progress: { step: () => {}, detail: () => {}, end: () => {} },
  onStop: () => () => {},
  onUnread: () => () => {},
  onSignals: () => () => {},
};

/** The bundles of the latest applications, so that later commands bundle only services that changed. */
const bundles = new Map<string, BundleMemo>();

/**
 * The number of applications whose bundles are cached. More would fill the memory of a worker that runs many test
 * files.
 */
const mostApplications = 4;

function bundlesOf(cwd: string): BundleMemo {
  const memo = bundles.get(cwd) ?? new BundleMemo();
  bundles.delete(cwd);
  bundles.set(cwd, memo);
  const [oldest = cwd] = bundles.keys();
  if (bundles.size > mostApplications) bundles.delete(oldest);
  return memo;
}

/** Runs `fw` in this process, in the directory `cwd`. */
export function fw(cwd: string, ...argv: string[]): Promise<Ran> {
  return fwWith([], cwd, ...argv);
}

/** Runs `fw` with lines of standard input. */
export function fwWith(lines: readonly string[], cwd: string, ...argv: string[]): Promise<Ran> {
  return fwIn({}, lines, cwd, ...argv);
}

/** Runs `fw` with additional environment variables. */
export async function fwIn(
  env: Readonly<Record<string, string>>,
  lines: readonly string[],
  cwd: string,
  ...argv: string[]
): Promise<Ran> {
  const remaining = [...lines];
  let out = "";
  let err = "";
  const code = await main(argv, {
    ...silent,
    cwd,
    env,
    bundles: bundlesOf(cwd),
    out: { isTTY: false, write: (text) => void (out += text) },
    err: { isTTY: false, write: (text) => void (err += text) },
    input: { ...silent.input, secret: async () => remaining.shift() ?? "", line: async () => remaining.shift() ?? "" },
  });
  return { code, out, err };
}
