/** What `runtime/generated.ts` exports, in order. */
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

/** The import of the primitives that `code` uses; nothing where it uses none. */
export function runtimeImports(code: string): readonly string[] {
  const imported = runtimeNames(code);
  return imported.length === 0 ? [] : [`import { ${imported.join(", ")} } from "fw/runtime";`];
}

/** The primitives that `code` uses. */
export function runtimeNames(code: string): readonly string[] {
  const used = new Set(code.match(/(?<![\w$."])[a-zA-Z]\w*(?!["\w])/g));
  return names.filter((name) => used.has(name));
}
