import { counted } from "../../lib/counted.ts";
import { grouped } from "../../lib/grouped.ts";
import { storedId, tenantProperty } from "../../lib/tenant-fields.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { Entity, EntityRef } from "../../model/entity.ts";
import type { TypeCheck } from "../../platform/local/check/types.ts";
import type { Fields } from "../../platform/values.ts";

/** A document that refers to one that was not read yet, or does not exist. */
interface OpenReference {
  readonly entity: string;
  readonly id: string;
  readonly ref: EntityRef;
  readonly to: string;
  /** The stored id of the other document. */
  readonly target: string;
}

/** Orphans that a line names. */
const namedOrphans = 3;

/** Finds documents whose `Ref` fields name documents that do not exist, while all documents are read once. */
export class ReferenceCheck {
  readonly #entities: ReadonlyMap<string, Entity>;
  readonly #ids: ReadonlyMap<string, Set<string>>;
  #open: OpenReference[] = [];

  constructor({ packages }: App) {
    const entities = allOfKind(packages, "entity");
    const targets = new Set(entities.flatMap(({ refs = [] }) => refs.map(({ entity }) => entity)));
    this.#entities = new Map(entities.map((entity) => [entity.name, entity]));
    this.#ids = new Map([...targets].map((name) => [name, new Set()]));
  }

  /** Returns a check that also reads the references of each document. */
  around(types: TypeCheck): TypeCheck {
    return {
      ...types,
      document: (kind, id, fields) => {
        this.#read(kind, id, fields);
        return types.document(kind, id, fields);
      },
    };
  }

  /** Describes orphans: by fields with an `onDelete` rule as problems, by others as notes. */
  report(): { readonly problems: readonly string[]; readonly notes: readonly string[] } {
    const orphans = this.#open.filter(({ ref, target }) => this.#ids.get(ref.entity)?.has(target) !== true);
    const byField = [...grouped(orphans, ({ entity, ref }) => `${entity} ${ref.field}`).values()];
    return {
      problems: byField.filter(isRuled).map(describeOrphans),
      notes: byField.filter((each) => !isRuled(each)).map(describeOrphans),
    };
  }

  #read(kind: string, id: string, fields: Fields): void {
    this.#ids.get(kind)?.add(id);
    for (const ref of this.#entities.get(kind)?.refs ?? []) {
      const value = fields[ref.field];
      const tenant = this.#entities.get(ref.entity)?.tenant === undefined ? undefined : fields[tenantProperty];
      for (const to of [value].flat())
        if (typeof to === "string") {
          const target = storedId(tenant, to);
          if (this.#ids.get(ref.entity)?.has(target) !== true) this.#open.push({ entity: kind, id, ref, to, target });
        }
    }
  }
}

function isRuled([first]: readonly OpenReference[]): boolean {
  return first?.ref.onDelete !== undefined;
}

function describeOrphans(orphans: readonly OpenReference[]): string {
  const [first] = orphans;
  if (first === undefined) return "";
  const { entity, ref } = first;
  const examples = orphans.slice(0, namedOrphans).map(({ id, to }) => `${JSON.stringify(id)} to ${JSON.stringify(to)}`);
  const rest = orphans.length - examples.length;
  const all = [...examples, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
  return `${counted(orphans.length, "reference")} by "${ref.field}" of "${entity}" to documents that "${ref.entity}" does not have: ${all}; delete these documents, or write another id into the field`;
}
