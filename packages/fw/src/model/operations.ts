import { kinds, kindsWith } from "./kinds.ts";
import type { Use } from "./uses.ts";

/** What can be done with each kind of resource, as its methods are named. */
export const operations: Readonly<Record<Use["kind"], readonly string[]>> = Object.fromEntries(
  kindsWith("use").map((kind): [Use["kind"], readonly string[]] => [kinds[kind].use.kind, kinds[kind].use.operations]),
) as Record<Use["kind"], readonly string[]>;
