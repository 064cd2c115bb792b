// Exports for generated code. Their names are a contract with `generate/`.
export {
  bodyInt64,
  bodyJSON,
  bodyNumber,
  deepestFailure,
  keyWithin,
  memoized,
  merged,
  noneOf,
  pushPath,
  refuse,
  toDate,
  tooDeep,
  within,
  wrong,
  wrongAt,
} from "./decode/body.ts";
export { withinLimits as limited } from "./decode/limited.ts";
export { whole400 } from "./decode/problems.ts";
export { isOfPattern } from "./decode/pattern.ts";
export { cookieText, headerList, headerText } from "./decode/header-cookie.ts";
export { queryList, queryPairs, queryText } from "./decode/query-string.ts";
export {
  formFile,
  formList,
  formText,
  ofPattern,
  oneOf,
  oneOfNumbers,
  required,
  toBoolean,
  toInt,
  toInt64,
  toNumber,
  unlessBlank,
} from "./decode/scalars.ts";
export { isJSON } from "./decode/stored.ts";
export { isRecord } from "../lib/record-in.ts";
export { exactText } from "../lib/exact-text.ts";
export { matchEncoded } from "./routing/match-encoded.ts";
export * as template from "./page/template-runtime.ts";
export { formFields, pathText, wireFields } from "./remote/request-text.ts";
