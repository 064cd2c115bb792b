import { declared } from "./declared.ts";

/** A name that an identity carries. */
export interface RoleDeclaration {
  /** Tells it from other declarations. */
  readonly kind: "role";
  /** What identities carry: `"editor"`. */
  readonly name: string;
}

/** Declares a role: `export const Editor = Role("editor")`. Exported; its name is a constant. */
export function Role(name: string): RoleDeclaration {
  return declared({ kind: "role", name } as const);
}
