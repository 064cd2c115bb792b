import type { ESTree } from "rolldown/utils";
import { namedDeclaration } from "../resolution/named-declaration.ts";
import type { Policy } from "../../model/auth.ts";
import type { Declared } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { Kind } from "./kind.ts";
import type { Reference } from "./declaration-syntax.ts";
import { referenceOf } from "./reference.ts";
import { placeOf, readText, type Source } from "./source.ts";

export interface ParsedPolicy extends Declared<"policy"> {
  /** Of a RequireRole: its arguments, and the place of what is called. */
  readonly required?: { readonly at: Span; readonly roles: readonly RoleArgument[] };
}

/** An argument of a RequireRole. */
interface RoleArgument {
  readonly at: Span;
  readonly role: Reference;
  /** The role's name, where the declaration has a constant one. */
  readonly name: string | undefined;
}

/** `Policy(decide)`, of which only the place matters, and `RequireRole(…roles)`. */
export const policy: Kind<ParsedPolicy, Policy> = {
  read(source) {
    const { call, name } = source;
    if (name !== "RequireRole") return {};
    const roles = call.arguments.map((argument) => readRoleArgument(source, argument));
    return { required: { at: placeOf(source, call.callee), roles } };
  },
  model({ required }) {
    const roles = required?.roles.flatMap(({ name }) => name ?? []);
    return { ...(roles && { roles }) };
  },
};

function readRoleArgument(source: Source, argument: ESTree.Argument): RoleArgument {
  const at = placeOf(source, argument);
  if (argument.type === "SpreadElement") {
    return { at, role: { kind: "none", why: "a spread may hold any number of them" }, name: undefined };
  }
  const { project, module } = source;
  const named = namedDeclaration(project, module, argument);
  const role = referenceOf(named, ["Role"]);
  if (named.kind !== "declared" || role.kind !== "declared") return { at, role, name: undefined };
  return { at, role, name: readText({ ...named, project }, 0).value };
}
