// The baseline: node:http by hand, with the checks that a careful author writes, and nothing else.
import { createServer } from "node:http";
import { me, page, placed, routes, rows, user } from "./data.mjs";
import { report } from "./report.mjs";
import { openSessions } from "./sessions.mjs";

const JSON_TYPE = "application/json";
const whose = openSessions();
const table = new Map(routes.map((route, i) => [route, i]));

const server = createServer((req, res) => {
  const { url } = req;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  if (path === "/hello") return json(res, { hello: "world" });
  if (path.startsWith("/users/")) return getUser(res, path.slice(7), mark === -1 ? "" : url.slice(mark + 1));
  if (path === "/orders") return readOrder(req, res);
  if (path === "/page") return html(res, page("Rows", rows));
  if (path === "/me") return getMe(req, res);
  const cut = path.lastIndexOf("/");
  const route = table.get(path.slice(0, cut));
  if (route !== undefined) return json(res, { route, id: path.slice(cut + 1) });
  return send(res, 404, JSON_TYPE, '{"error":"not found"}');
});

function getUser(res, id, query) {
  const params = new URLSearchParams(query);
  const number = Number(id);
  const page_ = Number(params.get("page") ?? 1);
  if (!Number.isSafeInteger(number) || !Number.isSafeInteger(page_))
    return send(res, 400, JSON_TYPE, '{"error":"bad"}');
  return json(res, user(number, page_, params.get("sort") ?? "name", params.getAll("tag")));
}

function getMe(req, res) {
  const identity = whose(req.headers.cookie);
  return identity === undefined ? send(res, 401, JSON_TYPE, '{"error":"sign in"}') : json(res, me(identity));
}

function readOrder(req, res) {
  if (!req.headers["content-type"]?.startsWith(JSON_TYPE)) return send(res, 415, JSON_TYPE, '{"error":"type"}');
  const chunks = [];
  req.on("data", (chunk) => chunks.push(chunk));
  req.on("end", () => {
    let body;
    try {
      body = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString());
    } catch {
      return send(res, 400, JSON_TYPE, '{"error":"json"}');
    }
    if (!isOrder(body)) return send(res, 400, JSON_TYPE, '{"error":"shape"}');
    return json(res, placed(body));
  });
}

function isOrder(o) {
  return (
    o !== null &&
    typeof o === "object" &&
    typeof o.currency === "string" &&
    typeof o.note === "string" &&
    typeof o.express === "boolean" &&
    o.customer !== null &&
    typeof o.customer === "object" &&
    Number.isSafeInteger(o.customer.id) &&
    typeof o.customer.name === "string" &&
    typeof o.customer.email === "string" &&
    Array.isArray(o.items) &&
    o.items.every(
      (i) =>
        i !== null &&
        typeof i === "object" &&
        typeof i.sku === "string" &&
        typeof i.title === "string" &&
        Number.isSafeInteger(i.quantity) &&
        typeof i.price === "number",
    )
  );
}

const json = (res, value) => send(res, 200, JSON_TYPE, JSON.stringify(value));
const html = (res, text) => send(res, 200, "text/html; charset=utf-8", text);

function send(res, status, type, body) {
  res.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) });
  res.end(body);
}

server.listen(0, "127.0.0.1", () => report(server.address().port));
