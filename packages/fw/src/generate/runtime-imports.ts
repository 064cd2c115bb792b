/** The exports of `runtime/generated.ts`, in order. */
const names = [
  "bodyInt64",
  "bodyJSON",
  "bodyNumber",
  "cookieText",
  "deepestFailure",
  "exactText",
  "formFields",
  "formFile",
  "formList",
  "formText",
  "headerList",
  "headerText",
  "isJSON",
  "isOfPattern",
  "isRecord",
  "keyWithin",
  "limited",
  "matchEncoded",
  "memoized",
  "merged",
  "noneOf",
  "ofPattern",
  "oneOf",
  "oneOfNumbers",
  "pathText",
  "pushPath",
  "queryList",
  "queryPairs",
  "queryText",
  "refuse",
  "required",
  "toBoolean",
  "toDate",
  "toInt",
  "toInt64",
  "toNumber",
  "tooDeep",
  "unlessBlank",
  "whole400",
  "wireFields",
  "within",
  "wrong",
  "wrongAt",
] as const;

/** Returns the import of the runtime functions that `code` uses; empty if it uses none. */
export function runtimeImports(code: string): readonly string[] {
  const primitives = runtimeNames(code);
  return primitives.length === 0 ? [] : [`import { ${primitives.join(", ")} } from "fw/runtime";`];
}

export function runtimeNames(code: string): readonly string[] {
  const identifiers = new Set(code.match(/(?<![\w$."])[a-zA-Z]\w*(?!["\w])/g));
  return names.filter((name) => identifiers.has(name));
}
