import type { Policy } from "../../model/auth.ts";
import type { DeclarationBase } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { EndpointTypes } from "./endpoint.ts";
import type { Located } from "./declaration-syntax.ts";
import { readNamedReference, type NamedReference } from "./reference.ts";
import { spanIn } from "./source.ts";

export interface ParsedPolicy extends DeclarationBase<"policy"> {
  /** The request of a Policy, once its type is known; it has no response. */
  readonly types?: EndpointTypes;
  /** The arguments of a RequireRole, and the place of its callee. */
  readonly required?: { readonly at: Span; readonly roles: readonly Located<NamedReference>[] };
}

/** Reads `Policy(decide)` and `RequireRole(…roles)`. */
export const policy: DeclarationReader<ParsedPolicy, Policy> = {
  read(source) {
    const { call, name } = source;
    if (name !== "RequireRole") return {};
    const roles = call.arguments.map((argument) => readNamedReference(source, argument, "Role"));
    return { required: { at: spanIn(source, call.callee), roles } };
  },
  model({ required, types }) {
    const roles = required?.roles.flatMap(({ value }) => value?.name ?? []);
    const fields = (types?.request.shape.bound ?? []).map(({ property }) => property);
    return { ...(roles && { roles }), ...(fields.length > 0 && { fields }) };
  },
};
