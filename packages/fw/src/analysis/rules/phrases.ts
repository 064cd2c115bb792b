import type { Located } from "../readers/declaration-syntax.ts";
import type { Finding } from "../rule.ts";

/** A value that must be a string constant and is none. */
export function notConstant(what: string, { at, why, cause }: Located<unknown>, hint: string): Finding {
  const message = why === undefined ? `${what} is not a string constant` : `${what} is not a string constant: ${why}`;
  return { at, message, hint, ...causedBy(cause) };
}

/** The place that a value comes down to. */
export function causedBy(cause: Located<unknown>["cause"]): Pick<Finding, "related"> {
  return cause ? { related: [{ at: cause, message: "it comes from here" }] } : {};
}
