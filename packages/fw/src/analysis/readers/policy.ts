import type { ESTree } from "rolldown/utils";
import { namedDeclaration } from "../resolution/named-declaration.ts";
import type { RoleArgumentRead } from "./read.ts";
import type { Reader } from "./reader.ts";
import { referenceOf } from "./reference.ts";
import { placeOf, readText, type Source } from "./source.ts";

/** Reads `Policy(decide)`, of which only the place matters, and `RequireRole(…roles)`. */
export const readPolicy: Reader = (source, call, declaration, name) => {
  if (name !== "RequireRole") return { kind: "policy", declaration };
  const roles = call.arguments.map((argument) => readRoleArgument(source, argument));
  return { kind: "policy", declaration, required: { at: placeOf(source, call.callee), roles } };
};

function readRoleArgument(source: Source, argument: ESTree.Argument): RoleArgumentRead {
  const at = placeOf(source, argument);
  if (argument.type === "SpreadElement") {
    return { at, role: { kind: "none", why: "a spread may hold any number of them" }, name: undefined };
  }
  const { project, module } = source;
  const named = namedDeclaration(project, module, argument);
  const role = referenceOf(named, ["Role"]);
  if (named.kind !== "declared" || role.kind !== "declared") return { at, role, name: undefined };
  return { at, role, name: readText({ project, module: named.module }, named.call, 0).value };
}
