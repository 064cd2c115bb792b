// 1,000 routes, written by hand (`raw`) or served by fw in one process that switches between only measuring requests
// (`off`) and aggregating them (`on`).
import { createServer } from "node:http";
import { API } from "../../packages/fw/dist/declare/index.js";
import { createHandler, MetricStore, serve } from "../../packages/fw/dist/runtime/index.js";
import { settings } from "../../packages/fw/dist/runtime/settings.js";
import { report } from "./report.mjs";

const count = 1_000;
const places = new Map(Array.from({ length: count }, (_, i) => [`/r${i}`, i]));

const listening = process.env.BENCH_METRICS === "raw" ? raw() : fw();
report(await listening);

function raw() {
  const server = createServer((req, res) => {
    const cut = req.url.lastIndexOf("/");
    const text = JSON.stringify({ route: places.get(req.url.slice(0, cut)), id: req.url.slice(cut + 1) });
    res.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    res.end(text);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));
}

async function fw() {
  const endpoints = [...places].map(([path, route]) => ({
    declaration: API(`GET ${path}/{id}`, (_ctx, { id }) => ({ route, id })),
    kind: "api",
    route: `GET ${path}/{id}`,
    method: "GET",
    package: 0,
    signIn: false,
    private: false,
    maxAge: 0,
    carries: "nothing",
    exactIntegers: false,
    decode: ({ params }) => ({ id: params[0] }),
  }));
  const match = (_method, path, params) => {
    const cut = path.lastIndexOf("/");
    params.push(path.slice(cut + 1));
    return places.get(path.slice(0, cut)) ?? -1;
  };
  const bundle = { app: "bench", match, methods: ["GET"], endpoints, packages: [{ name: "bench", service: "bench" }] };
  const common = { settings: settings.built("refused") };
  const handlers = {
    off: createHandler(bundle, { ...common, metrics: { define() {}, add() {}, observe() {}, request() {} } }),
    on: createHandler(bundle, { ...common, metrics: new MetricStore() }),
  };
  let handler = handlers.on;
  process.on("message", (kind) => (handler = handlers[kind] ?? handler));
  const server = await serve((req, res, expects) => handler(req, res, expects), { host: "127.0.0.1", port: 0 });
  return server.port;
}
