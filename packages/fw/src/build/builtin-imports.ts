import * as filePromises from "node:fs/promises";
import { isBuiltin } from "node:module";
import * as timerPromises from "node:timers/promises";
import * as zlib from "node:zlib";
import { parseSync } from "rolldown/utils";
import { edited, type Edit } from "../lib/edits.ts";

/**
 * Built-in modules that use much memory and that few services need at their start: the bundle loads each at the first
 * call of one of its functions.
 */
const late: Readonly<Record<string, object>> = {
  "node:fs/promises": filePromises,
  "node:timers/promises": timerPromises,
  "node:zlib": zlib,
};

/** Matches the static imports, which a bundle has at its start only. */
const imports = /^(?:\s*import\b[^"'()]*(?:"[^"\n]*"|'[^'\n]*');)*/;

/**
 * Replaces static imports of Node's built-in modules with calls. A static import reads every export, and reading some
 * of them loads further modules; with calls, `node:http` loads in half the time. Keeps line numbers.
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
  const defaults = entries.filter(({ importName }) => importName.kind === "Default");
  const namedEntries = entries.filter(({ importName }) => importName.kind === "Name");
  const names = namedEntries.filter((entry) => !isLate(specifier, entry)).map(nameText);
  const bindings = [
    ...defaults.map(({ localName }) => `${localName.value} = ${builtin}`),
    ...(names.length === 0 ? [] : [`{ ${names.join(", ")} } = ${builtin}`]),
    ...namedEntries.filter((entry) => isLate(specifier, entry)).map((entry) => lateText(builtin, entry)),
  ];
  return bindings.length === 0 ? `${builtin};` : `const ${bindings.join(", ")};`;
}

/** Only functions can be loaded on their first call: code needs classes and constants as values. */
function isLate(specifier: string, { importName: { name } }: Entries[number]): boolean {
  const names = Object.entries(late[specifier] ?? {});
  return names.some(
    ([exportName, value]) => exportName === name && typeof value === "function" && /^[a-z]/.test(exportName),
  );
}

function lateText(got: string, { importName, localName }: Entries[number]): string {
  return `${localName.value} = (...values) => ${got}.${importName.name}(...values)`;
}

function nameText({ importName, localName }: Entries[number]): string {
  return importName.name === localName.value ? localName.value : `${importName.name ?? ""}: ${localName.value}`;
}
