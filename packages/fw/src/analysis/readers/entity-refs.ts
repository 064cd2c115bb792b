import type { Declaration, Package } from "../../model/app.ts";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { Entity, EntityRef } from "../../model/entity.ts";
import { isSameData } from "../incremental/same-data.ts";
import type { ParsedEntity } from "./entity.ts";
import type { ParsedPackage } from "./parsed.ts";

export function parsedEntities(packages: readonly ParsedPackage[]): readonly ParsedEntity[] {
  return packages.flatMap(entitiesIn);
}

const entitiesIn = cachedByObject(({ reads }: ParsedPackage) => reads.filter((read) => read.kind === "entity"));

/** Returns the entities declared with a type. A type that only the checker can read is matched by name. */
export function entitiesOfType(entities: readonly ParsedEntity[], typeId: string): readonly ParsedEntity[] {
  return entities.filter(({ types }) =>
    typeId.startsWith("#") ? types?.typeId?.endsWith(typeId) : types?.typeId === typeId,
  );
}

/** Links fields to the entities they refer to. Unchanged results stay the same objects. */
export class EntityRefs {
  readonly #entities = new WeakMap<Entity, Entity>();
  readonly #packages = new WeakMap<Package, Package>();

  resolve(packages: readonly Package[], parsed: readonly ParsedPackage[]): readonly Package[] {
    const entities = parsedEntities(parsed);
    const refs = new Map(entities.map((read) => [declarationKey(read.declaration), refsOf(entities, read)]));
    if (entities.every(({ types }) => types?.fields.every(({ refs: own }) => own.length === 0) ?? true))
      return packages;
    const refsIn = (declared: Declaration): readonly EntityRef[] =>
      declared.kind === "entity" ? (refs.get(declarationKey(declared.declaration)) ?? []) : [];
    return packages.map((pkg) => this.#package(pkg, refsIn));
  }

  #package(pkg: Package, refsIn: (declared: Declaration) => readonly EntityRef[]): Package {
    if (!pkg.declarations.some((declared) => refsIn(declared).length > 0)) return pkg;
    const declarations = pkg.declarations.map((declared) => {
      const refs = refsIn(declared);
      return declared.kind === "entity" && refs.length > 0 ? this.#entity(declared, refs) : declared;
    });
    const cached = this.#packages.get(pkg);
    if (cached?.declarations.every((declared, i) => declared === declarations[i])) return cached;
    const resolved = { ...pkg, declarations };
    this.#packages.set(pkg, resolved);
    return resolved;
  }

  #entity(entity: Entity, refs: readonly EntityRef[]): Entity {
    const cached = this.#entities.get(entity);
    if (cached !== undefined && isSameData(cached.refs, refs)) return cached;
    const resolved = { ...entity, refs };
    this.#entities.set(entity, resolved);
    return resolved;
  }
}

function refsOf(entities: readonly ParsedEntity[], { types, rules }: ParsedEntity): readonly EntityRef[] {
  return (types?.fields ?? []).flatMap(({ name: field, refs }) => {
    const [typeId, ...others] = refs;
    const [target, ...more] = typeId === undefined ? [] : entitiesOfType(entities, typeId);
    const name = target?.text.value;
    const onDelete = rules.onDelete?.value?.[field];
    if (name === undefined || others.length > 0 || more.length > 0) return [];
    return [{ field, entity: name, ...(onDelete && { onDelete }) }];
  });
}
