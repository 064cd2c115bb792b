import { listOf } from "../../../lib/suggest.ts";
import type { EntityField, ParsedEntity } from "../../readers/entity.ts";
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
 * True if a reference leaves the tenant. Shared documents can be read from anywhere; a tenant's documents only together
 * with documents of the same tenant.
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
    hint: `give "${own.variable}" the tenant of "${other}", or store the id as a string and read the document with a context inside of its tenant`,
    related: [{ at: target.declaration.at, message: `"${other}" is declared here` }],
  };
}

function variables(entities: readonly ParsedEntity[]): readonly string[] {
  return entities.map(({ declaration }) => declaration.variable);
}
