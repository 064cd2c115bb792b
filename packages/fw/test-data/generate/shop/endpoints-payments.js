import { bodyInt64, exactText, refuse, toInt64, under, wrong, wrongAt } from "fw/runtime";
import { $fw_payOrder } from "./payments.ts";
function x0(v, n) {
  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, "object");
  let f0 = v.payment;
  if ((f0 = x1(f0, n)) === undefined) return under("payment");
  let f1 = v.amount;
  if ((f1 = x4(f1, n)) === undefined) return under("amount");
  const out = { payment: f0, amount: f1 };
  return out;
}
function x1(v, n) {
  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, "object");
  switch (v.by) {
    case "card": return x2(v, n);
    case "invoice": return x3(v, n);
    default: return wrongAt(v.by, "by", "\"card\" | \"invoice\"");
  }
}
function x2(v, n) {
  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, "object");
  const f0 = v.by;
  if (!(f0 === "card")) return wrongAt(f0, "by", "\"card\"");
  const f1 = v.number;
  if (!(typeof f1 === "string")) return wrongAt(f1, "number", "string");
  const out = { by: f0, number: f1 };
  return out;
}
function x3(v, n) {
  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, "object");
  const f0 = v.by;
  if (!(f0 === "invoice")) return wrongAt(f0, "by", "\"invoice\"");
  const f1 = v.days;
  if (!(Number.isSafeInteger(f1))) return wrongAt(f1, "days", "int");
  const out = { by: f0, days: f1 };
  return out;
}
function x4(v, n) {
  return bodyInt64(v);
}
function e0(v) {
  if (typeof v !== "object" || v === null || typeof v.toJSON === "function") return exactText(v);
  let out = "", t;
  if ((t = exactText(v.balance)) !== undefined) out += ",\"balance\":" + t;
  return "{" + out.slice(1) + "}";
}
function decode0(raw) {
  const b0 = toInt64(raw.params[0], "path id");
  const request = x0(raw.body, 0) ?? refuse();
  request.id = b0;
  return request;
}
export const endpoints = (p) => [
  { declaration: $fw_payOrder, kind: "api", route: "POST /orders/{id}/pay", method: "POST", package: p, signIn: false, private: false, maxAge: 0, carries: "json", exactIntegers: true, decode: decode0, encode: e0 },
];
