import { listOf } from "../../../lib/suggest.ts";
import type { EntityField, EntityTypes, ParsedEntity } from "../../readers/entity.ts";
import { entitiesOfType, parsedEntities } from "../../readers/entity-refs.ts";
import { tenantsOf } from "../../readers/tenant.ts";
import type { Finding, Rule } from "../../rule.ts";

export const entityRef: Rule = {
  id: "entity-ref",
  title: "A Ref names the type of one entity",
  *app({ packages, isComplete }) {
    const entities = parsedEntities(packages);
    for (const entity of entities)
      for (const field of entity.types?.fields ?? []) {
        const finding = field.refs.length === 0 ? undefined : findingOf(entities, isComplete, entity, field);
        if (finding) yield { at: field.at, ...finding };
      }
    for (const entity of entities) yield* onDeleteFindings(entity);
  },
};

function findingOf(
  entities: readonly ParsedEntity[],
  isComplete: boolean,
  entity: ParsedEntity,
  { name, refs }: EntityField,
): Omit<Finding, "at"> | undefined {
  const [typeId = "", ...otherTypes] = refs;
  const type = typeId.slice(typeId.indexOf("#") + 1);
  if (otherTypes.length > 0)
    return {
      message: `the field "${name}" refers to documents of several types`,
      hint: "declare a field for each type, such as customer?: Ref<Customer> and supplier?: Ref<Supplier>",
    };
  const targets = entitiesOfType(entities, typeId);
  const [target, ...others] = targets;
  if (target === undefined) return isComplete ? unknownType(name, type) : undefined;
  if (others.length > 0)
    return {
      message: `the field "${name}" refers to ${type}, which is the type of several entities: ${listOf(variables(targets), "and")}`,
      hint: `give each entity a type with a name: export interface Other extends ${type} {}`,
    };
  return crossesTenants(entity, target) ? foreignTenant(name, entity, target) : undefined;
}

/** Reports rules of `onDelete` that no store could follow. */
function* onDeleteFindings({ rules, types }: ParsedEntity): Iterable<Finding> {
  const { at, value = {} } = rules.onDelete ?? {};
  if (at === undefined || types === undefined) return;
  for (const [name, rule] of Object.entries(value)) {
    const field = types.fields.find((each) => each.name === name);
    // TypeScript reports a field that is not a Ref.
    if (field === undefined || field.refs.length === 0) continue;
    if (!field.indexed)
      yield {
        at: field.at,
        message: `onDelete finds the documents that refer to a deleted one by the field "${name}", which is not indexed`,
        hint: `mark it: Index<Ref<…>>`,
        fix: { kind: "mark", fields: [field.at], marker: "Index" },
        related: [{ at, message: `the rule "${rule}" is declared here` }],
      };
    if (rule === "clear" && !field.many && isRequired(types, name))
      yield {
        at,
        message: `onDelete clears the field "${name}", which every document must have`,
        hint: `make it optional: ${name}?: …, or choose "refuse" or "cascade"`,
        related: [{ at: field.at, message: "the field is declared here" }],
      };
  }
}

function isRequired({ document }: EntityTypes, name: string): boolean {
  const objects = document?.kind === "union" ? document.variants : [document];
  return objects.some(
    (each) => each?.kind === "object" && each.fields.some((field) => field.name === name && !field.optional),
  );
}

function unknownType(field: string, type: string): Omit<Finding, "at"> {
  if (type === "" || type.startsWith("~"))
    return {
      message: `the field "${field}" refers to a type without a name`,
      hint: "name the type of the entity's documents: interface Customer { id: ID }, Entity<Customer>, Ref<Customer>",
    };
  return {
    message: `the field "${field}" refers to ${type}, which is the type of no entity`,
    hint: `name the type of an entity, or declare one: Entity<${type}>("…")`,
  };
}

/**
 * True if a reference leaves the tenant. Shared documents can be read from anywhere, but a tenant's documents only from
 * documents of the same tenant.
 */
function crossesTenants({ rules: own }: ParsedEntity, { rules: other }: ParsedEntity): boolean {
  const tenants = tenantsOf(other.tenant);
  return tenants !== undefined && tenants !== tenantsOf(own.tenant);
}

function foreignTenant(
  field: string,
  { declaration: own, rules }: ParsedEntity,
  target: ParsedEntity,
): Omit<Finding, "at"> {
  const tenants = tenantsOf(target.rules.tenant) ?? "";
  const other = target.declaration.variable;
  const whose = tenantsOf(rules.tenant);
  return {
    message: `the field "${field}" of "${own.variable}", ${whose === undefined ? "which all tenants share" : `which belongs to tenants "${whose}"`}, refers to "${other}", which belongs to tenants "${tenants}"`,
    hint: `give "${own.variable}" the tenant of "${other}", or store the id as a string and read the document with a context inside its tenant`,
    related: [{ at: target.declaration.at, message: `"${other}" is declared here` }],
  };
}

function variables(entities: readonly ParsedEntity[]): readonly string[] {
  return entities.map(({ declaration }) => declaration.variable);
}
