import type { Context } from "../../declare/context.ts";
import type { SentField } from "../bundle.ts";
import { outsideTransaction } from "../calls/origin.ts";
import type { Request } from "../request.ts";
import { RequestContext } from "../request-context.ts";

interface RefusedForm {
  readonly route: string;
  /** The submitted strings, by the field's name on the wire. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

const refusedForms = new WeakMap<Request, RefusedForm>();

export function setRefusedForm(request: Request, form: RefusedForm): void {
  refusedForms.set(request, form);
}

/** Returns the submitted value of a form field; undefined unless this is the response to the form's route. */
export function sentField(ctx: Context, route: string, name: string): SentField | undefined {
  const request = RequestContext.requestOf(outsideTransaction(ctx));
  const form = request && refusedForms.get(request);
  if (form?.route !== route) return undefined;
  return { value: form.texts.get(name)?.[0] ?? "", problems: form.problems.get(name) ?? [] };
}
