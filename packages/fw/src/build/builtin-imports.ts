import * as filePromises from "node:fs/promises";
import { isBuiltin } from "node:module";
import * as timerPromises from "node:timers/promises";
import * as zlib from "node:zlib";
import { parseSync } from "rolldown/utils";
import { edited, type Edit } from "../lib/edits.ts";

/** Modules that take much memory and that few services use as they start: their functions ask for them when they are called. */
const late: Readonly<Record<string, object>> = {
  "node:fs/promises": filePromises,
  "node:timers/promises": timerPromises,
  "node:zlib": zlib,
};

/** The static imports that a bundle begins with: it has all of them there. */
const imports = /^(?:\s*import\b[^"'()]*(?:"[^"\n]*"|'[^'\n]*');)*/;

/**
 * A bundle's code with calls in the place of its static imports of Node's own modules: such an import reads every export, also
 * those that load much more. `node:http` is ready in half the time then. Lines keep their numbers.
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
  const got = `process.getBuiltinModule(${JSON.stringify(specifier)})`;
  const defaults = entries.filter(({ importName }) => importName.kind === "Default");
  const named = entries.filter(({ importName }) => importName.kind === "Name");
  const names = named.filter((entry) => !isLate(specifier, entry)).map(nameText);
  const bindings = [
    ...defaults.map(({ localName }) => `${localName.value} = ${got}`),
    ...(names.length === 0 ? [] : [`{ ${names.join(", ")} } = ${got}`]),
    ...named.filter((entry) => isLate(specifier, entry)).map((entry) => lateText(got, entry)),
  ];
  return bindings.length === 0 ? `${got};` : `const ${bindings.join(", ")};`;
}

/** Classes and constants are values of their own, which a function cannot stand for. */
function isLate(specifier: string, { importName: { name } }: Entries[number]): boolean {
  const names = Object.entries(late[specifier] ?? {});
  return names.some(([known, value]) => known === name && typeof value === "function" && /^[a-z]/.test(known));
}

function lateText(got: string, { importName, localName }: Entries[number]): string {
  return `${localName.value} = (...values) => ${got}.${importName.name}(...values)`;
}

function nameText({ importName, localName }: Entries[number]): string {
  return importName.name === localName.value ? localName.value : `${importName.name ?? ""}: ${localName.value}`;
}
