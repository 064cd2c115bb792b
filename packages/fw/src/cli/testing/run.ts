import { main } from "../main.ts";
import type { ExitCode } from "../command.ts";

export interface Ran {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** `fw` in this process, in the directory `cwd`. */
export function fw(cwd: string, ...argv: string[]): Promise<Ran> {
  return fwWith([], cwd, ...argv);
}

/** `fw` with lines of standard input. */
export async function fwWith(lines: readonly string[], cwd: string, ...argv: string[]): Promise<Ran> {
  const left = [...lines];
  let out = "";
  let err = "";
  const code = await main(argv, {
    cwd,
    env: {},
    out: { isTTY: false, write: (text) => void (out += text) },
    err: { isTTY: false, write: (text) => void (err += text) },
    input: { isTTY: false, secret: async () => left.shift() ?? "" },
    onStop: () => () => {},
  });
  return { code, out, err };
}
