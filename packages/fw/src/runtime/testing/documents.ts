import { compileFunction } from "node:vm";
import { documentBody } from "../../generate/document-module.ts";
import type { Schema, TypeTable } from "../../model/schema.ts";
import type { BundledEntity } from "../bundle.ts";
import * as primitives from "../generated.ts";

/** Compiles the fields of a document's type, as generated code contains them. */
export function compileDocuments(document: Schema, types: TypeTable = {}): NonNullable<BundledEntity["alternatives"]> {
  const at = { path: "shop/shop.ts", line: 1, column: 1, endLine: 1, endColumn: 2 };
  const declaration = { module: "shop/shop.ts", variable: "orders", exported: true, at };
  const base = { kind: "entity", name: "orders", declaration, id: "id", indexed: [], transient: [] } as const;
  const body = documentBody({ ...base, document }, types);
  return compileFunction(body, ["runtime"])(primitives) as NonNullable<BundledEntity["alternatives"]>;
}
