import { main } from "../main.ts";
import type { ExitCode } from "../command.ts";

export interface Ran {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** `fw` in this process, in the directory `cwd`. */
export async function fw(cwd: string, ...argv: string[]): Promise<Ran> {
  let out = "";
  let err = "";
  const code = await main(argv, {
    cwd,
    env: {},
    out: { isTTY: false, write: (text) => void (out += text) },
    err: { isTTY: false, write: (text) => void (err += text) },
    onStop: () => () => {},
  });
  return { code, out, err };
}
