import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where dev servers keep the application's OpenAPI document, relative to its root. */
export const openApiFile = ".fw/gen/openapi.json";

/** The document as it was written last; undefined where there is none. */
export function readOpenApi(root: string): string | undefined {
  try {
    return readFileSync(join(root, openApiFile), "utf8");
  } catch {
    return undefined;
  }
}
