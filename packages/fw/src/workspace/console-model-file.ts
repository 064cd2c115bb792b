import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConsoleModel } from "../generate/console-model.ts";

/** Where dev servers keep what the console shows of the application, relative to its root. */
export const consoleModelFile = ".fw/gen/console.json";

/** It as it was written last; undefined where there is none. */
export function readConsoleModel(root: string): ConsoleModel | undefined {
  try {
    return JSON.parse(readFileSync(join(root, consoleModelFile), "utf8")) as ConsoleModel;
  } catch {
    return undefined;
  }
}
