import type { Declaration, Package } from "../../model/app.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { Entity } from "../../model/entity.ts";
import type { QueriesRead } from "../readers/query.ts";

/** Gives the entities whose ids queries name an index of them. What comes out the same stays the same object. */
export class QueriedIds {
  readonly #entities = new WeakMap<Entity, Entity>();
  readonly #packages = new WeakMap<Package, Package>();

  index(packages: readonly Package[], { fields }: Pick<QueriesRead, "fields">): readonly Package[] {
    const queried = new Set(fields.map(({ entity, field }) => nameOf(declarationKey(entity), field)));
    const isQueried = (declared: Declaration): declared is Entity =>
      declared.kind === "entity" && queried.has(nameOf(declarationKey(declared.declaration), declared.id));
    return packages.map((pkg) => this.#package(pkg, isQueried));
  }

  #package(given: Package, isQueried: (declared: Declaration) => declared is Entity): Package {
    if (!given.declarations.some(isQueried)) return given;
    const declarations = given.declarations.map((declared) =>
      isQueried(declared) ? this.#entity(declared) : declared,
    );
    const known = this.#packages.get(given);
    if (known?.declarations.every((declared, i) => declared === declarations[i])) return known;
    const made = { ...given, declarations };
    this.#packages.set(given, made);
    return made;
  }

  #entity(given: Entity): Entity {
    const known = this.#entities.get(given);
    if (known !== undefined) return known;
    const made = { ...given, indexed: [...given.indexed, { name: given.id, many: false }] };
    this.#entities.set(given, made);
    return made;
  }
}

function nameOf(entity: string, field: string): string {
  return `${entity} ${field}`;
}
