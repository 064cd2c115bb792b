import type { App, DeclarationRef, Endpoint, Package } from "../model/app.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import type { Declared } from "./declared.ts";
import { packageModel } from "./readers/model.ts";
import type { PackageRead } from "./readers/read.ts";

/** Endpoints by the declaration they were made from, so that one that was not read again stays the same object. */
const endpoints = new WeakMap<DeclarationRef, Endpoint>();

/** The application that declarations make up. */
export function assemble(name: string, packages: readonly PackageRead[], declared: readonly Declared[]): App {
  return { name, packages: packages.map((read) => keepEndpoints(packageModel(read))), types: typesOf(declared) };
}

function keepEndpoints(model: Package): Package {
  return { ...model, endpoints: model.endpoints.map(keep) };
}

function keep(endpoint: Endpoint): Endpoint {
  const known = endpoints.get(endpoint.declaration);
  if (known) return known;
  endpoints.set(endpoint.declaration, endpoint);
  return endpoint;
}

/** Every named type once, in the order of their ids. */
function typesOf(declared: readonly Declared[]): TypeTable {
  const found = new Map<string, Schema>();
  for (const { types } of declared) for (const id in types) if (!found.has(id)) found.set(id, types[id] as Schema);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
