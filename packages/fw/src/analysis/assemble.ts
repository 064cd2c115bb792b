import type { App, Declaration, DeclarationRef, LoadOrder, Package } from "../model/app.ts";
import { declarationKey } from "../model/declarations.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import type { WrittenSettings } from "../lib/written-settings.ts";
import { isSameList } from "../lib/same-items.ts";
import type { Declared } from "./declared.ts";
import { compositeIndexes, entitiesByConstant } from "./queries/indexes.ts";
import { IdIndexes } from "./queries/id-indexes.ts";
import { packageModel } from "./readers/index.ts";
import { noQueries, type QueriesRead } from "./readers/query.ts";
import type { ParsedPackage } from "./readers/parsed.ts";
import { writtenSettings } from "./readers/source-settings.ts";

/**
 * Makes the application that declarations add up to, again and again: parts that were not read again stay the same
 * objects.
 */
export class Assembler {
  /** By the declaration they were made from. */
  readonly #kept = new WeakMap<DeclarationRef, Declaration>();
  #packages = new Map<string, { readonly read: ParsedPackage; readonly model: Package }>();
  readonly #queriedIds = new IdIndexes();
  #tables: readonly TypeTable[] = [];
  #types: TypeTable = {};

  assemble(
    name: string,
    packages: readonly ParsedPackage[],
    declared: readonly Declared[],
    queries: QueriesRead = noQueries,
    loadOrder?: LoadOrder,
  ): App {
    const made = packages.map((read) => ({ read, model: this.#package(read) }));
    this.#packages = new Map(made.map((each) => [each.read.dir, each]));
    const models = this.#queriedIds.index(
      made.map(({ model }) => model),
      queries,
    );
    const indexes = compositeIndexes(entitiesByConstant(models), queries);
    const types = this.#merge(declared.map((each) => each.types));
    return {
      name,
      packages: models,
      types,
      ...(indexes.length === 0 ? {} : { indexes }),
      ...(loadOrder && { loadOrder }),
      written: writtenIn(packages),
    };
  }

  #package(read: ParsedPackage): Package {
    const known = this.#packages.get(read.dir);
    if (known && known.read.name === read.name && isSameList(known.read.reads, read.reads)) return known.model;
    const model = packageModel(read);
    return { ...model, declarations: model.declarations.map((each) => (hasSchema(each) ? this.#keep(each) : each)) };
  }

  #keep(made: Declaration): Declaration {
    const known = this.#kept.get(made.declaration);
    if (known) return known;
    this.#kept.set(made.declaration, made);
    return made;
  }

  /** Every named type once, in the order of their ids. */
  #merge(tables: readonly TypeTable[]): TypeTable {
    if (isSameList(this.#tables, tables)) return this.#types;
    const found = new Map<string, Schema>();
    for (const table of tables)
      for (const [id, schema] of Object.entries(table)) if (!found.has(id)) found.set(id, schema);
    this.#tables = tables;
    this.#types = Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return this.#types;
  }
}

/** What is written of declarations, to be compared with what loads. */
function writtenIn(packages: readonly ParsedPackage[]): NonNullable<App["written"]> {
  const all = packages.flatMap(({ reads }) =>
    reads.flatMap((read): readonly (readonly [string, WrittenSettings])[] => {
      const settings = writtenSettings(read);
      if (!("declaration" in read) || Object.keys(settings).length === 0) return [];
      return [[declarationKey(read.declaration), settings]];
    }),
  );
  return Object.fromEntries(all);
}

/** Modules are generated for these, and kept while they are the same objects. */
function hasSchema(declaration: Declaration): boolean {
  return "response" in declaration || "message" in declaration;
}
