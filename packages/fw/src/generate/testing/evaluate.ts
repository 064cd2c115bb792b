import * as primitives from "../../runtime/generated.ts";

/** Returns the exports of a module that generated code imports. */
export type Resolve = (specifier: string) => object;

/** Runs a generated module and returns its exports, including `default`. `resolve` is not called for `fw/runtime`. */
export function evaluate(text: string, resolve: Resolve = () => ({})): Record<string, unknown> {
  const names: string[] = [];
  const code = text
    .replaceAll(/^import \{ (.*) \} from (".*");$/gm, (_, list: string, specifier: string) => {
      return `const { ${list.replaceAll(" as ", ": ")} } = resolve(${specifier});`;
    })
    .replaceAll(/^export (const|function) (\w+)/gm, (_, kind: string, name: string) => {
      names.push(name);
      return `${kind} ${name}`;
    })
    .replace(/^export default /m, () => {
      names.push("default: $default");
      return "const $default = ";
    });
  const run = new Function("resolve", `"use strict";\n${code}\nreturn { ${names.join(", ")} };`) as (
    resolve: Resolve,
  ) => Record<string, unknown>;
  return run((specifier) => (specifier === "fw/runtime" ? primitives : resolve(specifier)));
}
