import { resolve } from "node:path";
import { locateData, type DataLocation } from "../../workspace/branch-data.ts";
import { appRoot } from "../app-root.ts";
import type { ParsedOptions, ValueOption } from "../command.ts";
import { operatedOptions } from "../deploy/target.ts";
import type { IO } from "../io.ts";

/** The option of commands that work with data on this machine. */
export const dataOption: ValueOption = {
  value: "<dir>",
  summary: "the data directory (default: that of the git branch)",
};

export type DataOptions = ParsedOptions<{ readonly data: ValueOption }>;

/** Locates the data: the option's directory, otherwise the data of the current directory's application. */
export function dataLocation({ data }: DataOptions, io: IO): DataLocation {
  return data === undefined ? locateData(appRoot(io.cwd)) : { directory: resolve(io.cwd, data) };
}

/** Returns the absolute path of the data directory. */
export function dataDirectory(options: DataOptions, io: IO): string {
  return dataLocation(options, io).directory;
}

/** The options of commands that work with data on this machine or of a deployed application. */
export const placeOptions: Readonly<Record<"data" | keyof typeof operatedOptions, ValueOption>> = {
  data: dataOption,
  ...operatedOptions,
};

export type PlaceOptions = ParsedOptions<typeof placeOptions>;
