import * as crypto from "node:crypto";
import * as filePromises from "node:fs/promises";
import { isBuiltin } from "node:module";
import * as timerPromises from "node:timers/promises";
import * as zlib from "node:zlib";
import { parseSync } from "rolldown/utils";
import { edited, type Edit } from "../lib/edits.ts";

/**
 * Built-in modules that use much memory and that few services need at startup. The bundle loads each on the first call
 * of one of its functions.
 */
const lateModules: Readonly<Record<string, object>> = {
  "node:crypto": crypto,
  "node:fs/promises": filePromises,
  "node:timers/promises": timerPromises,
  "node:zlib": zlib,
};

/** Matches the static imports at the start of a bundle. */
const imports = /^(?:\s*import\b[^"'()]*(?:"[^"\n]*"|'[^'\n]*');)*/;

/**
 * Replaces static imports of Node's built-in modules with calls of `process.getBuiltinModule`. A static import reads
 * every export, and reading some of them loads further modules. With calls, `node:http` loads in half the time. Keeps
 * line numbers.
 */
export function withBuiltinCalls(bundle: string): string {
  const [code = ""] = imports.exec(bundle) ?? [];
  const { module } = parseSync("imports.js", code, { sourceType: "module" });
  const edits = module.staticImports.flatMap(({ start, end, moduleRequest, entries }): readonly Edit[] => {
    const isWhole = entries.some(({ importName }) => importName.kind === "NamespaceObject");
    if (!isBuiltin(moduleRequest.value) || isWhole) return [];
    const lines = code.slice(start, end).replace(/[^\n]/g, "");
    return [{ start, end, text: callText(moduleRequest.value, entries) + lines }];
  });
  return edited(code, edits) + bundle.slice(code.length);
}

type Entries = ReturnType<typeof parseSync>["module"]["staticImports"][number]["entries"];

function callText(specifier: string, entries: Entries): string {
  const builtin = `process.getBuiltinModule(${JSON.stringify(specifier)})`;
  // Importing a built-in module has no side effects.
  if (entries.length === 0) return "";
  const defaults = entries.filter(({ importName }) => importName.kind === "Default");
  const namedEntries = entries.filter(({ importName }) => importName.kind === "Name");
  const names = namedEntries.filter((entry) => !isLate(specifier, entry)).map(nameText);
  const constants = [
    ...defaults.map(({ localName }) => `${localName.value} = ${builtin}`),
    ...(names.length === 0 ? [] : [`{ ${names.join(", ")} } = ${builtin}`]),
  ];
  const late = namedEntries.filter((entry) => isLate(specifier, entry));
  return [declarationText("const", constants), declarationText("let", lateTexts(specifier, builtin, late))].join("");
}

function declarationText(keyword: string, bindings: readonly string[]): string {
  return bindings.length === 0 ? "" : `${keyword} ${bindings.join(", ")};`;
}

/**
 * True for functions of `lateModules`, which a wrapper can load on the first call. Classes and constants must be loaded
 * at once.
 */
function isLate(specifier: string, { importName: { name } }: Entries[number]): boolean {
  const names = Object.entries(lateModules[specifier] ?? {});
  return names.some(
    ([exportName, value]) =>
      exportName === name && typeof value === "function" && /^[a-z]/.test(exportName) && isPlain(value),
  );
}

/** False for a function that `promisify` treats specially. */
function isPlain(value: object): boolean {
  return Object.getOwnPropertySymbols(value).length === 0;
}

/**
 * Generates functions that replace themselves with the loaded ones on their first call. Several functions share one
 * loader.
 */
function lateTexts(specifier: string, builtin: string, late: Entries): readonly string[] {
  const loader = `__load_${specifier.replace(/\W/g, "_")}`;
  const isShared = late.length > 1;
  const functions = late.map(({ importName, localName: { value: name } }) => {
    return `${name} = (...v) => (${name} = ${isShared ? `${loader}()` : builtin}.${importName.name})(...v)`;
  });
  return isShared ? [`${loader} = () => ${builtin}`, ...functions] : functions;
}

function nameText({ importName, localName }: Entries[number]): string {
  return importName.name === localName.value ? localName.value : `${importName.name ?? ""}: ${localName.value}`;
}
