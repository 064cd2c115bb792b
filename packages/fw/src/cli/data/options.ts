import type { Given, ValueOption } from "../command.ts";
import { operatedOptions } from "../deploy/target.ts";
import { dataOption } from "./directory.ts";

/** The options of commands that work with an application's data, wherever that is. */
export const placeOptions: Readonly<Record<"data" | keyof typeof operatedOptions, ValueOption>> = {
  data: dataOption,
  ...operatedOptions,
};

export type PlaceOptions = Given<typeof placeOptions>;
