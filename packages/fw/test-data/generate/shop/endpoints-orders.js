import { oneOf, queryList, queryPairs, queryText, refuse, toDate, toInt, tooDeep, under, unlessBlank, wrong, wrongAt } from "fw/runtime";
import { $fw_listOrders, $fw_placeOrder, $fw_getOrder } from "./orders.ts";
function d0(v, n) {
  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, "object");
  const f0 = v.id;
  if (!(typeof f0 === "string")) return wrongAt(f0, "id", "string");
  let f1 = v.lines;
  if ((f1 = d1(f1, n)) === undefined) return under("lines");
  let f2 = v.placed;
  if ((f2 = d5(f2, n)) === undefined) return under("placed");
  const f3 = v.note;
  if (f3 !== undefined && !((typeof f3 === "string" || f3 === null))) return wrongAt(f3, "note", "string | null");
  const out = { id: f0, lines: f1, placed: f2 };
  if (f3 !== undefined) out.note = f3;
  return out;
}
function d1(v, n) {
  if (!Array.isArray(v)) return wrong(v, "list");
  const out = [];
  for (let i = 0; i < v.length; i++) {
    const item = d2(v[i], n);
    if (item === undefined) return under(i);
    out.push(item);
  }
  return out;
}
function d2(v, n) {
  return n > 1000 ? tooDeep() : d3(v, n + 1);
}
function d3(v, n) {
  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, "object");
  const f0 = v.sku;
  if (!(typeof f0 === "string")) return wrongAt(f0, "sku", "string");
  const f1 = v.count;
  if (!(Number.isSafeInteger(f1))) return wrongAt(f1, "count", "int");
  let f2 = v.parts;
  if (f2 !== undefined && (f2 = d4(f2, n)) === undefined) return under("parts");
  const out = { sku: f0, count: f1 };
  if (f2 !== undefined) out.parts = f2;
  return out;
}
function d4(v, n) {
  if (!Array.isArray(v)) return wrong(v, "list");
  const out = [];
  for (let i = 0; i < v.length; i++) {
    const item = d2(v[i], n);
    if (item === undefined) return under(i);
    out.push(item);
  }
  return out;
}
function d5(v, n) {
  return toDate(v);
}
function decode0(raw) {
  const query = queryPairs(raw.query);
  const b0t = unlessBlank(queryText(query, "status", "query status"));
  const b0 = b0t === undefined ? undefined : oneOf(b0t, "query status", ["open","paid"], "\"open\" | \"paid\"");
  const b1 = queryList(query, "tag", "query tag");
  const b2t = unlessBlank(queryText(query, "limit", "query limit"));
  const b2 = b2t === undefined ? undefined : toInt(b2t, "query limit");
  const b3 = queryText(query, "after", "query after");
  const request = {};
  if (b0 !== undefined) request.status = b0;
  if (b1 !== undefined) request.tag = b1;
  if (b2 !== undefined) request.limit = b2;
  if (b3 !== undefined) request.after = b3;
  return request;
}
function decode1(raw) {
  const request = d0(raw.body, 0) ?? refuse();
  return request;
}
function decode2(raw) {
  const b0 = raw.params[0];
  const request = { id: b0 };
  return request;
}
export const endpoints = (p) => [
  { declaration: $fw_listOrders, kind: "api", route: "GET /orders", method: "GET", package: p, signIn: true, private: false, maxAge: 0, carries: "nothing", exactIntegers: false, decode: decode0 },
  { declaration: $fw_placeOrder, kind: "api", route: "POST /orders", method: "POST", package: p, signIn: false, private: false, maxAge: 0, carries: "json", exactIntegers: false, decode: decode1 },
  { declaration: $fw_getOrder, kind: "api", route: "GET /orders/{id}", method: "GET", package: p, signIn: false, private: false, maxAge: 0, carries: "nothing", exactIntegers: false, decode: decode2 },
];
