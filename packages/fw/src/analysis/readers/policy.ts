import type { Policy } from "../../model/auth.ts";
import type { Declared } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { Kind } from "./kind.ts";
import type { Located } from "./declaration-syntax.ts";
import { readNamed, type NamedReference } from "./reference.ts";
import { placeOf } from "./source.ts";

export interface ParsedPolicy extends Declared<"policy"> {
  /** Of a RequireRole: its arguments, and the place of what is called. */
  readonly required?: { readonly at: Span; readonly roles: readonly Located<NamedReference>[] };
}

/** `Policy(decide)`, of which only the place matters, and `RequireRole(…roles)`. */
export const policy: Kind<ParsedPolicy, Policy> = {
  read(source) {
    const { call, name } = source;
    if (name !== "RequireRole") return {};
    const roles = call.arguments.map((argument) => readNamed(source, argument, "Role"));
    return { required: { at: placeOf(source, call.callee), roles } };
  },
  model({ required }) {
    const roles = required?.roles.flatMap(({ value }) => value?.name ?? []);
    return { ...(roles && { roles }) };
  },
};
