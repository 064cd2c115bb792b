import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "rolldown/utils";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const source = join(root, "packages/fw/src");

/** Returns the TypeScript files of a folder, without tests and their helpers. */
export function sourceFiles(folder = source): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.split(sep).includes("testing"))
    .map((file) => join(folder, file));
}

/** The time of an import: when the file loads, only for types, or when code runs `import()`. */
export type When = "loaded" | "typed" | "run";

export interface Import {
  readonly specifier: string;
  readonly when: When;
}

export function relativeImports(file: string): readonly Import[] {
  return importsOf(file).filter((i) => i.specifier.startsWith("."));
}

const imports = new Map<string, readonly Import[]>();

/** Returns the imports of a file. Parses each file only once, because several tests need the imports of every file. */
export function importsOf(file: string): readonly Import[] {
  const fileImports = imports.get(file) ?? readImports(file);
  imports.set(file, fileImports);
  return fileImports;
}

function readImports(file: string): readonly Import[] {
  const text = readFileSync(file, "utf8");
  const { module } = parseSync(file, text);
  const when = (typeOnly: boolean): When => (typeOnly ? "typed" : "loaded");
  const imported = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    when: when(entries.length > 0 && entries.every((entry) => entry.isType)),
  }));
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest === null ? [] : [{ specifier: moduleRequest.value, when: when(isType) }],
    ),
  );
  const run = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const literal = /^"(.+)"$/.exec(text.slice(start, end))?.[1];
    return literal === undefined ? [] : [{ specifier: literal, when: "run" as const }];
  });
  return [...imported, ...exported, ...run];
}
