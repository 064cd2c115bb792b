import { compileFunction } from "node:vm";
import { destinationBody } from "../../generate/destination-module.ts";
import type { BundledDestination } from "../../runtime/bundle.ts";
import * as primitives from "../../runtime/generated.ts";
import type { Version } from "./versions.ts";

/** Returns the queue `emails` as in a build of this version. */
export function queueOf({ schema, upgrade, renamed }: Version): BundledDestination {
  const at = { path: "shop/shop.ts", line: 1, column: 1, endLine: 1, endColumn: 2 };
  const declaration = { module: "shop/shop.ts", variable: "emails", exported: true, at };
  const body = destinationBody({ kind: "queue", name: "emails", declaration, message: schema }, 1, {});
  const destination = compileFunction(body, ["runtime"])(primitives) as BundledDestination;
  return { ...destination, declaration: { evolution: { upgrade, renamed } } as never };
}
