import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic as TypeScriptDiagnostic } from "typescript/unstable/async";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { ownDirectory } from "../../lib/own-modules.ts";
import { errorMessage } from "./error-message.ts";
import type { Remedy } from "./source-fix.ts";

/** TypeScript's error numbers for mistakes that are common in the first hour with fw. */
export const commonMistakes = { missingName: 2304, missingProperty: 2339 } as const;

/** The modules that applications import from fw, with the files that list their exports. */
const modules: readonly OwnModule[] = [
  { name: "fw", file: "declare/index.d.ts" },
  { name: "fw/testing", file: "harness/index.d.ts" },
];

interface OwnModule {
  readonly name: string;
  readonly file: string;
}

/** Returns a hint with the import for a missing name; undefined if fw does not export it, or for another error. */
export function missingImportHint(error: TypeScriptDiagnostic): Remedy | undefined {
  const [, name = ""] = /^Cannot find name '([^']+)'/.exec(errorMessage(error)) ?? [];
  for (const module of modules) {
    const kind = exportsOf(module).get(name);
    if (kind !== undefined)
      return { hint: `add: import { ${kind === "type" ? "type " : ""}${name} } from "${module.name}"` };
  }
  return undefined;
}

/** Returns a hint if a handler has the parameters of another framework, such as `(req, res) => res.send(…)`. */
export function handlerParametersHint(error: TypeScriptDiagnostic): Remedy | undefined {
  return /^Property '[^']+' does not exist on type 'PathParams</.test(errorMessage(error))
    ? { hint: "a handler takes (ctx, request) and returns the body of the response; describe the request with a type" }
    : undefined;
}

/**
 * Returns the names that a `.d.ts` file exports, in export lists or as declared functions and constants, and whether
 * each is a type or a value.
 */
const exportsOf = cachedByObject(({ file }: OwnModule): ReadonlyMap<string, "type" | "value"> => {
  const text = readFileSync(join(ownDirectory, "../dist", file), "utf8");
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, allTypes, names = ""]) =>
    names.split(",").map((each): readonly [string, "type" | "value"] => {
      const name = each.trim();
      const isType = allTypes !== undefined || name.startsWith("type ");
      return [name.replace(/^type /, ""), isType ? "type" : "value"];
    }),
  );
  const functions = [...text.matchAll(/^export declare (?:const|function) (\w+)/gm)];
  return new Map([...lists, ...functions.map(([, name = ""]) => [name, "value"] as const)]);
});
