import { act } from "./act.js";
import { h, none } from "./elements.js";
import { bytes, pretty } from "./format.js";

/** Creates a view of the headers and bodies of a request and its response. */
export function exchangeContent(exchange) {
  return [
    h("h3", {}, "Request"),
    headerList(exchange.requestHeaders),
    bodyContent(exchange.requestBody, "request"),
    h("h3", {}, "Response"),
    headerList(exchange.responseHeaders),
    bodyContent(exchange.responseBody, "response"),
  ];
}

function headerList(headers) {
  const list = h(
    "dl",
    { class: "mono headers" },
    headers.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
  return h("details", {}, h("summary", {}, `${headers.length} headers`), list);
}

function bodyContent({ bytes: size, text, isCut }, side) {
  if (size === 0) return none(`The ${side} has no body.`);
  if (text === undefined) return none(`${bytes(size)} that are not text; the console does not record them.`);
  const shown = h(
    "pre",
    { tabIndex: 0, ariaLabel: `Body of the ${side}`, role: "region" },
    isCut ? text : pretty(text),
  );
  return [shown, isCut && none(`The first 16 kB of ${bytes(size)}.`)];
}

/** Creates a text with a button that copies it. */
export function copyable(text, label) {
  const copy = act(() => navigator.clipboard.writeText(text), "Copied.");
  return h(
    "div",
    { class: "copyable", role: "region", ariaLabel: label },
    h("pre", { tabIndex: 0 }, text),
    h("button", { type: "button", onclick: copy }, "Copy"),
  );
}
