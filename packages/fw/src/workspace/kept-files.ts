import { join } from "node:path";
import type { ConsoleModel } from "../generate/console-model.ts";
import { readJSON, readText } from "../lib/read-file.ts";

/** Where dev servers keep the application's OpenAPI document, and what the console shows of it, relative to its root. */
export const openApiFile = ".fw/gen/openapi.json";
export const consoleModelFile = ".fw/gen/console.json";

/** The document as it was written last; undefined where there is none. */
export function readOpenApi(root: string): string | undefined {
  return readText(join(root, openApiFile));
}

/** What the console shows, as it was written last; undefined where there is none. */
export function readConsoleModel(root: string): ConsoleModel | undefined {
  return readJSON(join(root, consoleModelFile)) as ConsoleModel | undefined;
}
