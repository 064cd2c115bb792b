import type { Declaration, Package } from "../../model/app.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { Entity } from "../../model/entity.ts";
import type { QueriesRead } from "../readers/query.ts";

/** Adds an index to each entity with a query by its ID field. Unchanged results stay the same objects. */
export class IdIndexes {
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
