import type { App, Declaration, DeclarationRef, LoadOrder, Package } from "../model/app.ts";
import { declarationKey } from "../model/declarations.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import type { WrittenSettings } from "../lib/written-settings.ts";
import { cachedByObject } from "../lib/cached-by-object.ts";
import { isSameList } from "../lib/same-items.ts";
import type { DeclaredModule } from "./declared.ts";
import { compositeIndexes, entitiesByConstant } from "./queries/indexes.ts";
import { queryNeeds } from "./queries/counted-fields.ts";
import { isSameData } from "./incremental/same-data.ts";
import { IdIndexes } from "./queries/id-indexes.ts";
import { EntityRefs } from "./readers/entity-refs.ts";
import { packageModel } from "./readers/index.ts";
import { noQueries, type QueriesRead } from "./readers/query.ts";
import type { Parsed, ParsedPackage } from "./readers/parsed.ts";
import { writtenSettings } from "./readers/source-settings.ts";

/** Assembles the model of an application from its declarations. Unchanged parts stay the same objects. */
export class Assembler {
  readonly #models = new WeakMap<DeclarationRef, Declaration>();
  #packages = new Map<string, { readonly read: ParsedPackage; readonly model: Package }>();
  readonly #queriedIds = new IdIndexes();
  readonly #refs = new EntityRefs();
  #tables: readonly TypeTable[] = [];
  #types: TypeTable = {};
  #settings: { readonly packages: readonly ParsedPackage[]; readonly written: NonNullable<App["written"]> } | undefined;
  #last: App | undefined;

  /** Returns the previous object if nothing in the model changed, as after an edit inside a function body. */
  assemble(
    name: string,
    packages: readonly ParsedPackage[],
    modules: readonly DeclaredModule[],
    queries: QueriesRead = noQueries,
    loadOrder?: LoadOrder,
  ): App {
    const parsedWithModel = packages.map((read) => ({ read, model: this.#package(read) }));
    this.#packages = new Map(parsedWithModel.map((each) => [each.read.dir, each]));
    const models = this.#queriedIds.index(
      this.#refs.resolve(
        parsedWithModel.map(({ model }) => model),
        packages,
      ),
      queries,
    );
    const indexes = compositeIndexes(entitiesByConstant(models), queries);
    const types = this.#merge(modules.flatMap(tablesIn));
    const app: App = {
      name,
      packages: models,
      types,
      ...(indexes.length === 0 ? {} : { indexes }),
      ...queryNeeds(models, packages, queries),
      ...(loadOrder && { loadOrder }),
      written: this.#written(packages),
    };
    if (this.#last === undefined || !isSameApp(this.#last, app)) this.#last = app;
    return this.#last;
  }

  /** Collects the settings that the source declares; at load time the runtime compares them with the records. */
  #written(packages: readonly ParsedPackage[]): NonNullable<App["written"]> {
    if (this.#settings?.packages !== packages)
      this.#settings = { packages, written: Object.fromEntries(packages.flatMap(settingsIn)) };
    return this.#settings.written;
  }

  #package(read: ParsedPackage): Package {
    const cached = this.#packages.get(read.dir);
    if (cached && cached.read.name === read.name && isSameList(cached.read.reads, read.reads)) return cached.model;
    const model = packageModel(read);
    return { ...model, declarations: model.declarations.map((each) => (hasSchema(each) ? this.#reuse(each) : each)) };
  }

  #reuse(declaration: Declaration): Declaration {
    const cached = this.#models.get(declaration.declaration);
    if (cached) return cached;
    this.#models.set(declaration.declaration, declaration);
    return declaration;
  }

  /** Merges the type tables, sorted by id. */
  #merge(tables: readonly TypeTable[]): TypeTable {
    if (isSameList(this.#tables, tables)) return this.#types;
    const typesById = new Map<string, Schema>();
    for (const table of tables)
      for (const [id, schema] of Object.entries(table)) if (!typesById.has(id)) typesById.set(id, schema);
    this.#tables = tables;
    this.#types = Object.fromEntries([...typesById].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return this.#types;
  }
}

/** The type tables of a module's declarations, without empty ones. */
const tablesIn = cachedByObject(({ declared }: DeclaredModule) =>
  declared.map(({ types }) => types).filter((types) => Object.keys(types).length > 0),
);

const settingsIn = cachedByObject(({ reads }: ParsedPackage) => reads.flatMap((read) => settingsOf(read)));

/** Returns a declaration's key with its written settings; empty if it has none. */
const settingsOf = cachedByObject((read: Parsed): readonly (readonly [string, WrittenSettings])[] => {
  const settings = writtenSettings(read);
  const isWritten = "declaration" in read && Object.keys(settings).length > 0;
  return isWritten ? [[declarationKey(read.declaration), settings]] : [];
});

function isSameApp(one: App, other: App): boolean {
  return (
    one.name === other.name &&
    one.types === other.types &&
    isSameList(one.packages, other.packages) &&
    isSameData(one.indexes, other.indexes) &&
    isSameData(one.countedFields, other.countedFields) &&
    isSameData(one.skippingEntities, other.skippingEntities) &&
    isSameData(one.loadOrder, other.loadOrder) &&
    isSameData(one.written, other.written)
  );
}

/** True for declarations with generated modules. A module is reused while its model is the same object. */
function hasSchema(declaration: Declaration): boolean {
  return "response" in declaration || "message" in declaration;
}
