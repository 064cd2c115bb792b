import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { lineTable, spanOf } from "../source/position.ts";

const path = "package.json";

/** Reports a package.json that is not valid JSON: without it no import can be resolved. */
export function manifestProblems(root: string): readonly Diagnostic[] {
  const text = manifestText(root);
  if (text === undefined) return [];
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    const why = (error as Error).message;
    const offset = Number(/at position (\d+)/.exec(why)?.[1] ?? text.length);
    const at = spanOf({ path, text, lines: lineTable(text) }, { start: offset, end: offset + 1 });
    return [
      { code: "syntax", at, message: `package.json is not valid JSON: ${why.replace(/ at position \d+.*/s, "")}` },
    ];
  }
}

function manifestText(root: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8").replace(/^\ufeff/, "");
  } catch {
    return undefined;
  }
}
