/** Functions for compiled templates: an escaper for each context in HTML, and access to data. */
export { describes, isChecked, problemList } from "../../lib/form-problems.ts";
export { attribute, markup, text, textareaStart, textOf } from "../../lib/html.ts";
export {
  descriptor,
  refreshDelay,
  UnfinishedURL,
  urlInside,
  urlQuery,
  urlRest,
  withoutCommas,
  withoutSemicolons,
} from "../../lib/html-url.ts";
export { scriptString, scriptValue } from "../../lib/html-script.ts";
export { styleString, styleValue, token } from "../../lib/html-style.ts";
export { dateText, message, numberText } from "../../lib/message-text.ts";
export { compare, get, keys, lookup, merge, same, truthy, values } from "../../lib/template-data.ts";
