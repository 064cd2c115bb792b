import type { NamedDeclaration } from "./declaration-ref.ts";
import type { Separated } from "./tenant.ts";

export interface Bucket extends NamedDeclaration<"bucket">, Separated {}
