import { join, resolve } from "node:path";
import { appRoot } from "../app-root.ts";
import type { ParsedOptions, ValueOption } from "../command.ts";
import { operatedOptions } from "../deploy/target.ts";
import type { IO } from "../io.ts";

/** The option of commands that work with data on this machine. */
export const dataOption: ValueOption = { value: "<dir>", summary: "the data directory (default .fw/data)" };

export type DataOptions = ParsedOptions<{ readonly data: ValueOption }>;

/** The absolute path of the data: the option, else the data of the application in the current directory. */
export function dataDirectory({ data }: DataOptions, io: IO): string {
  return data === undefined ? join(appRoot(io.cwd), ".fw", "data") : resolve(io.cwd, data);
}

/** The options of commands that work with data on this machine or of a deployed application. */
export const placeOptions: Readonly<Record<"data" | keyof typeof operatedOptions, ValueOption>> = {
  data: dataOption,
  ...operatedOptions,
};

export type PlaceOptions = ParsedOptions<typeof placeOptions>;
