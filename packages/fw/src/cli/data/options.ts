import { join, resolve } from "node:path";
import { appRoot } from "../app-root.ts";
import type { Given, ValueOption } from "../command.ts";
import { operatedOptions } from "../deploy/target.ts";
import type { IO } from "../io.ts";

/** The option of commands that work with data on this machine. */
export const dataOption: ValueOption = { value: "<dir>", summary: "where the data is, .fw/data by default" };

export type DataOptions = Given<{ readonly data: ValueOption }>;

/** Where the data is that a command works with, absolute: of the application here where no directory is given. */
export function dataDirectory({ data }: DataOptions, io: IO): string {
  return data === undefined ? join(appRoot(io.cwd), ".fw", "data") : resolve(io.cwd, data);
}

/** The options of commands that work with an application's data, wherever that is. */
export const placeOptions: Readonly<Record<"data" | keyof typeof operatedOptions, ValueOption>> = {
  data: dataOption,
  ...operatedOptions,
};

export type PlaceOptions = Given<typeof placeOptions>;
