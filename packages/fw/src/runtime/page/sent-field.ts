import type { Context } from "../../declare/context.ts";
import type { SentField } from "../bundle.ts";
import { outsideTransaction } from "../calls/origin.ts";
import { RequestContext } from "../request-context.ts";

/** Returns a field of a form as it was sent; undefined unless the request is answered by the route of the form. */
export function sentField(ctx: Context, route: string, name: string): SentField | undefined {
  const refused = RequestContext.requestOf(outsideTransaction(ctx))?.refusedForm;
  if (refused?.route !== route) return undefined;
  return { value: refused.texts.get(name)?.[0] ?? "", problems: refused.problems.get(name) ?? [] };
}
