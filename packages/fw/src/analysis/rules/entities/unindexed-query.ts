import { listOf, nearest } from "../../../lib/suggest.ts";
import { searchField, type FieldUse, type QueryFault } from "../../readers/query.ts";
import { countedValues } from "../../../lib/limits.ts";
import type { EntityField, ParsedEntity } from "../../readers/entity.ts";
import type { ParsedApp } from "../../readers/parsed.ts";
import type { Finding, Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";

export const unindexedQuery: Rule = {
  id: "unindexed-query",
  title: "A query filters and orders by indexed fields, and has a range over at most one of them",
  *app({ packages, queries }) {
    const entities = entitiesOf(packages);
    for (const use of queries.fields) {
      const entity = entities.get(`${use.entity.module}#${use.entity.variable}`);
      const finding = entity && fieldFinding(entity, use);
      if (finding) yield finding;
    }
    for (const fault of queries.faults)
      if (fault.kind === "ranges" || fault.kind === "order" || fault.kind === "compared") yield rangeFinding(fault);
  },
};

function entitiesOf(packages: ParsedApp["packages"]): ReadonlyMap<string, ParsedEntity> {
  const reads = packages.flatMap((read) => ofKind(read, "entity"));
  return new Map(reads.map((read) => [`${read.declaration.module}#${read.declaration.variable}`, read]));
}

function fieldFinding({ declaration, types }: ParsedEntity, { field, use, at }: FieldUse): Finding | undefined {
  if (!types?.complete) return undefined;
  if (field === searchField) return types.fields.some(({ search }) => search) ? undefined : noSearch(declaration, at);
  const entityField = types.fields.find(({ name }) => name === field);
  if (!entityField) {
    const indexed = types.fields.filter((each) => each.indexed).map(({ name }) => name);
    const message = `the query ${use} by "${field}", which is not a field of "${declaration.variable}"`;
    return { at, message, ...adviceFor(field, at, indexed) };
  }
  const related = [{ at: entityField.at, message: `"${field}" is declared here` }];
  const message = `the query ${use} by "${field}", `;
  if (entityField.id || entityField.indexed) {
    const problem =
      use === "counts" ? countProblem(entityField) : use === "orders" ? orderProblem(entityField) : undefined;
    return problem && { at, message: message + problem.message, hint: problem.hint, related };
  }
  const fix = { kind: "mark", fields: [entityField.at], marker: "Index" } as const;
  return { at, message: `${message}which is not indexed`, hint: `mark the field: ${field}: Index<…>`, related, fix };
}

/** The reason why a query cannot use a field. */
interface FieldProblem {
  readonly message: string;
  readonly hint: string;
}

function orderProblem({ many }: EntityField): FieldProblem | undefined {
  return many
    ? { message: "which is a list and cannot be sorted by", hint: "order by a field with a single value" }
    : undefined;
}

function countProblem({ many, values = [] }: EntityField): FieldProblem | undefined {
  if (many)
    return { message: "which is a list and cannot be counted by", hint: "count by a field with a single value" };
  if (values.length === 0)
    return {
      message: "whose type has no fixed set of values",
      hint: 'give it a type such as Index<"open" | "paid">, or run a count for each value',
    };
  if (values.length <= countedValues) return undefined;
  return {
    message: `whose type has ${values.length} values; the maximum is ${countedValues}`,
    hint: "run a count for each value that you need",
  };
}

function adviceFor(field: string, at: FieldUse["at"], indexed: readonly string[]): Pick<Finding, "hint" | "fix"> {
  const suggestion = nearest(field, indexed);
  if (suggestion === undefined) return { hint: fieldsHint(indexed) };
  return { hint: `did you mean "${suggestion}"?`, fix: { kind: "text", at, text: suggestion } };
}

function noSearch({ variable }: ParsedEntity["declaration"], at: FieldUse["at"]): Finding {
  return {
    at,
    message: `the query searches "${variable}", none of whose fields is marked with Search`,
    hint: "mark the fields to search: title: Search<string>",
  };
}

function fieldsHint(indexed: readonly string[]): string {
  return indexed.length === 0 ? "mark a field with Index" : `the indexed fields are ${listOf(indexed, "and")}`;
}

function rangeFinding(fault: QueryFault & { readonly kind: "ranges" | "order" | "compared" }): Finding {
  const { at, kind, field, range, first } = fault;
  const related = [{ at: first, message: `the range over "${range}" is here` }];
  if (kind === "ranges")
    return {
      at,
      message: `the query has ranges over both "${field}" and "${range}", which no index can serve`,
      hint: "keep one of the two ranges, and filter the results by the other",
      related,
    };
  if (kind === "compared")
    return {
      at,
      message: `the query compares "${field}" with single values and has a range over it, which no index can serve`,
      hint: "remove one of the two",
      related,
    };
  return {
    at,
    message: `the query has a range over "${range}" but orders by "${field}" first, which no index can serve`,
    hint: `order by "${range}" first`,
    related,
  };
}
