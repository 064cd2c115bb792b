import { join } from "node:path";
import type { ConsoleModel } from "../generate/console-model.ts";
import { readJSON, readText } from "../lib/read-file.ts";

/**
 * Files of dev servers, relative to the application's root: the OpenAPI document, and the console's model of the
 * application.
 */
export const openApiFile = ".fw/gen/openapi.json";
export const consoleModelFile = ".fw/gen/console.json";

/** Reads the last written OpenAPI document; undefined if there is none. */
export function readOpenApi(root: string): string | undefined {
  return readText(join(root, openApiFile));
}

/** Reads the last written console model; undefined if there is none. */
export function readConsoleModel(root: string): ConsoleModel | undefined {
  return readJSON(join(root, consoleModelFile)) as ConsoleModel | undefined;
}
