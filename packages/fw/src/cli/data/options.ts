import type { Option } from "../command.ts";
import { operatedOptions } from "../deploy/target.ts";
import { dataOption } from "./directory.ts";

/** The options of commands that work with an application's data, wherever that is. */
export const placeOptions: Readonly<Record<"data" | keyof typeof operatedOptions, Option>> = {
  data: dataOption,
  ...operatedOptions,
};

/** What the help of such a command says of them. */
export const worksOn =
  "Works on the local data, also while fw serve runs on it; a dev server must be stopped first. With --project it works on the deployed application: its environment and region are those that its deploys have written down there, where that leaves no choice.";
