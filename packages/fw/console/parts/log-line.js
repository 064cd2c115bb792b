import { h } from "./elements.js";
import { time } from "./format.js";

/** Returns the stack of the error in a log line, if it has one. */
export function causeOf({ fields }) {
  const error = Object.values(fields).find((value) => value && typeof value === "object" && "stack" in value);
  return error && String(error.stack);
}

/** Returns the message of a handler's error. Ignores other values that code logs as `error`. */
export function errorText({ fields }) {
  const { error } = fields;
  return error && typeof error.message === "string" && "stack" in error ? error.message : undefined;
}

export function severityClass(severity) {
  return { ERROR: "bad", WARNING: "warn" }[severity] ?? "muted";
}

export function fieldsText(fields) {
  const rest = Object.entries(fields).filter(([, value]) => !(value && typeof value === "object" && "stack" in value));
  return rest.map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`).join("  ");
}

/** Creates the item of a log line in the details of its request, which already show the ids. */
export function logItem(event) {
  const { req: _request, trace: _trace, ...fields } = event.fields;
  return h(
    "li",
    {},
    h("span", { class: "mono muted" }, time(event.at)),
    " ",
    h("span", { class: severityClass(event.severity) }, event.severity === "DEFAULT" ? "" : event.severity),
    ` ${event.message} `,
    h("span", { class: "muted" }, event.service ? `${event.service} ` : ""),
    h("span", { class: "mono muted" }, fieldsText(fields)),
  );
}
