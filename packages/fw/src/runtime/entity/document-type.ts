import { Fault } from "../../declare/errors.ts";
import type { OldData } from "../../declare/evolution.ts";
import type { Fields, Value } from "../../platform/values.ts";
import type { BundledEntity, DocumentField } from "../bundle.ts";

/** A field whose value in a document does not fit the entity's type. */
interface Misfit {
  readonly field: DocumentField;
  readonly value: unknown;
}

/** Throws a Fault if a document to be written does not have its entity's type. */
export function checkWritten(entity: BundledEntity, id: string, fields: Fields): void {
  const misfit = misfitOf(entity, fields);
  if (misfit !== undefined) throw new Fault(`${describeMisfit(entity, id, misfit)}; it was not written`);
}

/**
 * Returns the fields of a stored document in its entity's current type. Throws a Fault if no migration rule makes them
 * fit.
 */
export function currentFields(entity: BundledEntity, id: string, oldFields: Fields): Fields {
  const misfit = misfitOf(entity, oldFields);
  if (misfit === undefined && entity.declaration.evolution?.renamed === undefined) return oldFields;
  const fields = upgraded(entity, oldFields);
  const remaining = misfitOf(entity, fields);
  if (remaining === undefined) return fields;
  throw new Fault(
    `${describeMisfit(entity, id, remaining)}; it was written by another version: declare an upgrade for the field`,
  );
}

/** Returns a stored document's fields after applying the rules. If a rule throws, its field keeps its value. */
export function partlyCurrentFields(entity: BundledEntity, oldFields: Fields): Fields {
  return upgraded(entity, oldFields, (rule, oldValue) => {
    try {
      return valueOf(rule, oldFields);
    } catch {
      return oldValue;
    }
  });
}

/** Renames fields, and applies an entity's migration rules to fields that do not fit. */
function upgraded(
  entity: BundledEntity,
  oldFields: Fields,
  valueOfRule: (rule: unknown, oldValue: unknown) => unknown = (rule) => valueOf(rule, oldFields),
): Fields {
  const { renamed = {}, upgrade = {} } = entity.declaration.evolution ?? {};
  const fields = new Map(Object.entries(oldFields));
  for (const [name, earlier] of Object.entries(renamed as Readonly<Record<string, string>>)) {
    const value = own(oldFields, earlier);
    if (value === undefined || fields.get(name) !== undefined) continue;
    fields.set(name, value);
    if (!isField(entity, earlier)) fields.delete(earlier);
  }
  for (const [name, rule] of Object.entries(upgrade)) {
    if (fitsAny(entity, name, fields.get(name))) continue;
    const value = valueOfRule(rule, fields.get(name));
    if (value === undefined) fields.delete(name);
    else fields.set(name, value as Value);
  }
  return Object.fromEntries(fields);
}

/** Returns the value of a rule. Copies a constant, because handlers may modify it. */
function valueOf(rule: unknown, oldFields: Fields): unknown {
  if (typeof rule === "function") return (rule as (old: OldData) => unknown)({ ...oldFields });
  return typeof rule === "object" && rule !== null ? structuredClone(rule) : rule;
}

/** Returns undefined if the document matches an alternative of the type, else the misfit of the nearest one. */
function misfitOf({ alternatives }: BundledEntity, fields: Fields): Misfit | undefined {
  let nearest: Misfit | undefined;
  let most = -1;
  for (const alternative of alternatives ?? []) {
    let position = 0;
    let field = alternative[0];
    // Fast path, because this runs for every read and write.
    while (field !== undefined && fits(field, own(fields, field.name))) field = alternative[++position];
    if (field === undefined) return undefined;
    if (position > most) nearest = { field, value: own(fields, field.name) };
    most = Math.max(most, position);
  }
  return nearest;
}

function fits({ optional, is }: DocumentField, value: unknown): boolean {
  return value === undefined ? optional : is(value);
}

function fitsAny({ alternatives = [] }: BundledEntity, name: string, value: unknown): boolean {
  const fields = alternatives.flatMap((fields) => fields.filter((field) => field.name === name));
  return fields.some((field) => fits(field, value));
}

/** Returns an own member of the document, ignoring members that every object inherits. */
function own(fields: Fields, name: string): Value | undefined {
  const value = fields[name];
  return value === undefined || Object.hasOwn(fields, name) ? value : undefined;
}

function isField({ alternatives = [] }: BundledEntity, name: string): boolean {
  return alternatives.some((fields) => fields.some((field) => field.name === name));
}

/** Lists every field in which a document differs from its type's nearest alternative; none if it matches one. */
export function misfitsOf(
  { alternatives = [] }: Pick<BundledEntity, "alternatives">,
  fields: Fields,
): readonly Misfit[] {
  const all = alternatives.map((alternative) =>
    alternative.flatMap((field): Misfit[] => {
      const value = own(fields, field.name);
      return fits(field, value) ? [] : [{ field, value }];
    }),
  );
  return all.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** Returns why a document does not fit its entity's type; undefined if it fits or no entity has its kind. */
export function documentProblem(
  entities: readonly BundledEntity[],
  { kind, id, fields }: { readonly kind: string; readonly id: string; readonly fields: Fields },
): string | undefined {
  const entity = entities.find(({ name }) => name === kind);
  const [misfit] = entity === undefined ? [] : misfitsOf(entity, fields);
  return entity && misfit && describeMisfit(entity, id, misfit);
}

/** Describes a misfit by its document, field and types, without the value, which may be personal data. */
export function describeMisfit({ name }: Pick<BundledEntity, "name">, id: string, { field, value }: Misfit): string {
  const document = `the document ${JSON.stringify(id)} of "${name}"`;
  return value === undefined
    ? `${document} has no ${field.name}, which is ${field.type}`
    : `${document} has a ${field.name} that is ${kindOf(value)} and not ${field.type}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  return typeof value === "object" ? "an object of another type" : `another ${typeof value}`;
}
