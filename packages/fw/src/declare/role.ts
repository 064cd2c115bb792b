import { recordDeclaration } from "./declaration-records.ts";

/** A role that can be granted to users, and that policies such as `RequireRole` check. */
export interface RoleDeclaration {
  /** The kind of declaration. */
  readonly kind: "role";
  /** The name in users and tokens: `"editor"`. */
  readonly name: string;
}

/** Declares a role: `export const Editor = Role("editor")`. It must be exported, with a constant name. */
export function Role(name: string): RoleDeclaration {
  return recordDeclaration({ kind: "role", name } as const);
}
