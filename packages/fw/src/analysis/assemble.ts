import type { App, Declaration, DeclarationRef, LoadOrder, Package } from "../model/app.ts";
import { declarationKey, allOfKind } from "../model/declarations.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import type { WrittenSettings } from "../lib/written-settings.ts";
import { cachedByObject } from "../lib/cached-by-object.ts";
import { isSameList } from "../lib/same-items.ts";
import type { DeclaredModule } from "./declared.ts";
import { compositeIndexes, entitiesByConstant } from "./queries/indexes.ts";
import { isSameData } from "./incremental/same-data.ts";
import { EntityRefs } from "./readers/entity-refs.ts";
import { packageModel } from "./readers/index.ts";
import { noQueries, type QueriesRead } from "./readers/query.ts";
import type { Parsed, ParsedPackage } from "./readers/parsed.ts";
import { writtenSettings } from "./readers/source-settings.ts";
import type { CountedField, Entity } from "../model/entity.ts";
import { ofKind } from "./rules/select.ts";

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

  /** Returns the previous object if nothing in the model changed, for example after an edit inside a function body. */
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

  /** Collects the settings in the source, which the runtime compares with the records that it loads. */
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

/** Returns the nonempty type tables of a module's declarations. */
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

/**
 * True for declarations with generated modules. A generated module is reused while the model of its declaration is the
 * same object.
 */
function hasSchema(declaration: Declaration): boolean {
  return "response" in declaration || "message" in declaration;
}

interface QueryNeeds {
  readonly countedFields?: readonly CountedField[];
  readonly skippingEntities?: readonly string[];
}

/** Lists the fields with known values that queries count by, and the entities whose queries skip documents. */
function queryNeeds(
  packages: readonly Package[],
  parsedPackages: readonly ParsedPackage[],
  { fields, skipping }: QueriesRead,
): QueryNeeds {
  const names = new Map(
    allOfKind(packages, "entity").map(({ declaration, name }) => [declarationKey(declaration), name]),
  );
  const counts = fields.filter(({ use }) => use === "counts");
  const countedFields = parsedPackages
    .flatMap((pkg) => ofKind(pkg, "entity"))
    .flatMap(({ declaration, types }) =>
      (types?.fields ?? []).flatMap(({ name: field, values }): readonly CountedField[] => {
        const key = declarationKey(declaration);
        const entity = names.get(key);
        const isCounted = counts.some((use) => use.field === field && declarationKey(use.entity) === key);
        return isCounted && entity !== undefined && values !== undefined ? [{ entity, field, values }] : [];
      }),
    );
  const skippingNames = new Set(skipping.flatMap((entity) => names.get(declarationKey(entity)) ?? []));
  return {
    ...(countedFields.length > 0 && { countedFields }),
    ...(skippingNames.size > 0 && { skippingEntities: [...skippingNames].toSorted() }),
  };
}

/** Adds an index to each entity with a query by its ID field. Unchanged results stay the same objects. */
class IdIndexes {
  readonly #entities = new WeakMap<Entity, Entity>();
  readonly #packages = new WeakMap<Package, Package>();

  index(packages: readonly Package[], { fields }: Pick<QueriesRead, "fields">): readonly Package[] {
    const queried = new Set(fields.map(({ entity, field }) => nameOf(declarationKey(entity), field)));
    const isQueried = (declared: Declaration): declared is Entity =>
      declared.kind === "entity" && queried.has(nameOf(declarationKey(declared.declaration), declared.id));
    return packages.map((pkg) => this.#package(pkg, isQueried));
  }

  #package(pkg: Package, isQueried: (declared: Declaration) => declared is Entity): Package {
    if (!pkg.declarations.some(isQueried)) return pkg;
    const declarations = pkg.declarations.map((declared) => (isQueried(declared) ? this.#entity(declared) : declared));
    const cached = this.#packages.get(pkg);
    if (cached?.declarations.every((declared, i) => declared === declarations[i])) return cached;
    const indexed = { ...pkg, declarations };
    this.#packages.set(pkg, indexed);
    return indexed;
  }

  #entity(entity: Entity): Entity {
    const cached = this.#entities.get(entity);
    if (cached !== undefined) return cached;
    const indexed = { ...entity, indexed: [...entity.indexed, { name: entity.id, many: false }] };
    this.#entities.set(entity, indexed);
    return indexed;
  }
}

function nameOf(entity: string, field: string): string {
  return `${entity} ${field}`;
}
