import { Fault } from "../../declare/errors.ts";
import type { ValueCount } from "../../declare/entity-query.ts";
import { readCount, type QueryRequest } from "./query.ts";

/** Counts the documents of a query by a field: one count for each value of the field's type, in a transaction. */
export async function readCountsBy(request: QueryRequest, field: string): Promise<ValueCount<unknown>[]> {
  const { entity, plan } = request;
  const values = entity.countValues?.[field];
  if (values === undefined) throw new Fault(`countBy("${field}"): the type of the field has no fixed set of values`);
  const { limit: _, ...unlimited } = plan;
  return Promise.all(
    values.map(async (value) => {
      const filters = [...plan.filters, { field, operator: "==" as const, value }];
      return { value, count: await readCount({ ...request, plan: { ...unlimited, filters } }) };
    }),
  );
}
