import type { Query } from "../../contract.ts";
import type { Ask } from "../../grants.ts";
import { documentToWire, pageToWire } from "../protocol.ts";
import type { Args } from "./args.ts";
import { keyOf } from "./args.ts";
import { operation } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const entities: Readonly<Record<string, Operation>> = {
  "entities/get": operation(
    (args) => args.key("key"),
    ({ kind }) => [asked(kind, "get")],
    async (key, { platform }) => documentToWire(await platform.entities.get(key)),
  ),
  "entities/getMany": operation(
    (args) => args.list("keys").map(keyOf),
    (keys) => keys.map(({ kind }) => asked(kind, "get")),
    async (keys, { platform }) => (await platform.entities.getMany(keys)).map(documentToWire),
  ),
  "entities/insert": operation(
    (args) => ({ ...writeOf(args), options: args.present("expires", (each) => args.date(each)) }),
    ({ key }) => [asked(key.kind, "insert")],
    ({ key, fields, options }, { platform }) => platform.entities.insert(key, fields, options),
  ),
  "entities/upsert": operation(
    (args) => ({ ...writeOf(args), options: args.present("expires", (each) => args.date(each)) }),
    ({ key }) => [asked(key.kind, "upsert")],
    ({ key, fields, options }, { platform }) => platform.entities.upsert(key, fields, options),
  ),
  "entities/update": operation(
    (args) => ({
      ...writeOf(args),
      options: { ...args.present("expires", (each) => args.date(each)), ...versionOf(args) },
    }),
    ({ key }) => [asked(key.kind, "update")],
    ({ key, fields, options }, { platform }) => platform.entities.update(key, fields, options),
  ),
  "entities/delete": operation(
    (args) => ({ key: args.key("key"), options: versionOf(args) }),
    ({ key }) => [asked(key.kind, "delete")],
    ({ key, options }, { platform }) => platform.entities.delete(key, options),
  ),
  "entities/query": operation(
    (args) => args.query("query"),
    ({ kind }) => [asked(kind, "query")],
    async (query, { platform }) => pageToWire(await platform.entities.query(query)),
  ),
  "entities/count": operation(
    countOf,
    ({ query }) => [asked(query.kind, "count")],
    ({ query, upTo }, { platform }) => platform.entities.count(query, upTo),
  ),
};

/** What is asked of an entity. */
export function asked(kind: string, asks: string): Ask {
  return { kind: "entity", name: kind, asks };
}

export function countOf(args: Args): { readonly query: Query; readonly upTo: number | undefined } {
  return { query: args.query("query"), upTo: args.optional("upTo", (each) => args.number(each)) };
}

function writeOf(args: Args) {
  return { key: args.key("key"), fields: args.fields("fields") };
}

function versionOf(args: Args): { readonly version?: string } {
  return args.present("version", (each) => args.text(each));
}
