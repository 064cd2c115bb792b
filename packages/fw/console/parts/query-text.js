/** Describes a query, with the values of its filters if they are known, and the indexes that serve it. */
export function queryText({ filters, orders, limit }, indexes) {
  const conditions = filters.map(({ field, operator, value = "?" }) => `${field} ${operator} ${value}`);
  const fields = orders.map(({ field, direction }) => `${field} ${direction}`);
  return [
    conditions.length > 0 && `where ${conditions.join(" and ")}`,
    fields.length > 0 && `ordered by ${fields.join(", ")}`,
    limit !== undefined && `limit ${limit}`,
    indexText(indexes),
  ]
    .filter(Boolean)
    .join(" · ");
}

function indexText(indexes) {
  if (!indexes) return "";
  if (indexes.length === 0) return "in order of id, without an index";
  return indexes.map((index) => `index (${index.join(", ")})`).join(" and ");
}
