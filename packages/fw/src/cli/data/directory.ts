import { join, resolve } from "node:path";
import { appRoot } from "../app-root.ts";
import type { Option, OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";

/** The option of commands that work with data on this machine. */
export const dataOption: Option = { value: "<dir>", summary: "where the data is, .fw/data by default" };

/** Where the data is that a command works with, absolute: of the application here where no directory is given. */
export function dataDirectory(options: OptionValues, io: IO): string {
  const given = textOption(options, "data");
  return given === undefined ? join(appRoot(io.cwd), ".fw", "data") : resolve(io.cwd, given);
}
