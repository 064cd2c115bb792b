import { isBuiltin } from "node:module";
import { parseSync } from "rolldown/utils";
import { edited, type Edit } from "./edits.ts";

/**
 * A bundle's code with calls in the place of its static imports of Node's own modules: such an import reads every export, also
 * those that load much more. `node:http` is ready in half the time then. Lines keep their numbers.
 */
export function withBuiltinCalls(code: string): string {
  const { module } = parseSync("bundle.js", code, { sourceType: "module" });
  const edits = module.staticImports.flatMap(({ start, end, moduleRequest, entries }): readonly Edit[] => {
    const isWhole = entries.some(({ importName }) => importName.kind === "NamespaceObject");
    if (!isBuiltin(moduleRequest.value) || isWhole) return [];
    const lines = code.slice(start, end).replace(/[^\n]/g, "");
    return [{ start, end, text: callText(moduleRequest.value, entries) + lines }];
  });
  return edited(code, edits);
}

type Entries = ReturnType<typeof parseSync>["module"]["staticImports"][number]["entries"];

function callText(specifier: string, entries: Entries): string {
  const got = `process.getBuiltinModule(${JSON.stringify(specifier)})`;
  const defaults = entries.filter(({ importName }) => importName.kind === "Default");
  const names = entries.filter(({ importName }) => importName.kind === "Name").map(nameText);
  const bindings = [
    ...defaults.map(({ localName }) => `${localName.value} = ${got}`),
    ...(names.length === 0 ? [] : [`{ ${names.join(", ")} } = ${got}`]),
  ];
  return bindings.length === 0 ? `${got};` : `const ${bindings.join(", ")};`;
}

function nameText({ importName, localName }: Entries[number]): string {
  return importName.name === localName.value ? localName.value : `${importName.name ?? ""}: ${localName.value}`;
}
