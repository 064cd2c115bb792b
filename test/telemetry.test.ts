import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build, startService } from "./support/build.ts";
import { launchDev, writeApplication } from "./support/dev-app.ts";

const packages = fileURLToPath(new URL("../node_modules/@opentelemetry", import.meta.url));

const files = {
  "shop/shop.ts": `import { API, Counter, Histogram, type Path } from "fw";
import { stock } from "../back/back.ts";
export const placed = Counter("orders_placed");
export const sizes = Histogram("order_size");
export const place = API("POST /orders/{id}", (ctx, { id }: { id: Path }) => {
  placed.add(ctx, 2);
  sizes.observe(ctx, 2);
  ctx.log.info("placed", { id });
});
export const broken = API("GET /broken", (): string => { throw new Error("no"); });
export const charge = API("GET /charge", async () => (await fetch(process.env.PARTNER + "/v1/customers/cus_7?key=hunter2")).status);
export const there = API("GET /there", (ctx) => stock.call(ctx, {}));
`,
  "back/back.ts": `import { API } from "fw";
export const stock = API("GET /stock", (ctx): number => { ctx.log.info("counted"); return 3; });
`,
};

let root: string;
beforeAll(async () => {
  root = writeApplication(files);
  await build(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

/** Receives http/json exports like a collector. */
async function collector(): Promise<
  { readonly url: string; of<Kind>(path: string, key: string): Kind[] } & AsyncDisposable
> {
  const received: Received[] = [];
  const server = createServer((req, res) => {
    let text = "";
    req.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    req.on("end", () => {
      received.push({ path: req.url ?? "", headers: req.headers, body: JSON.parse(text) as Received["body"] });
      res.setHeader("content-type", "application/json").end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of<Kind>(path: string, key: string): Kind[] {
      const bodies = received.filter((each) => each.path === path).map(({ body }) => body);
      const resources = bodies.flatMap((body) => Object.values(body)[0] as Record<string, Record<string, Kind[]>[]>[]);
      const scopes = resources.flatMap((resource) => Object.values(resource).find(Array.isArray) ?? []);
      return scopes.flatMap((scope) => scope[key] ?? []);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Metric {
  readonly name: string;
  readonly sum?: {
    readonly aggregationTemporality: number;
    readonly isMonotonic: boolean;
    readonly dataPoints: Point[];
  };
  readonly histogram?: { readonly dataPoints: Point[] };
}

interface Point {
  readonly attributes: readonly Attribute[];
  readonly asDouble?: number;
  readonly count?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly Attribute[];
}

interface Line {
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly traceId: string;
  readonly spanId: string;
}

const valuesOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function installPackages(at: string): void {
  mkdirSync(join(at, "node_modules"), { recursive: true });
  const link = join(at, "node_modules/@opentelemetry");
  rmSync(link, { force: true });
  symlinkSync(packages, link);
}

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

test("a built service sends metrics, traces and logs to the collector that the environment names", async () => {
  await using collected = await collector();
  installPackages(root);
  await using service = await startService(root, "shop", { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collected.url } });
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  await fetch(`${service.url}/orders/7`, { method: "POST", headers: { traceparent } });
  await fetch(`${service.url}/broken`);
  await fetch(`${service.url}/broken`, { headers: { traceparent: `00-${"1".repeat(32)}-00f067aa0ba902b7-00` } });
  expect(await service.stop()).toBe(0);

  const metrics = collected.of<Metric>("/v1/metrics", "metrics");
  const points = metrics.flatMap(({ name, sum }) =>
    (sum?.dataPoints ?? []).map(({ attributes, asDouble }) => [name, valuesOf(attributes), asDouble]),
  );
  expect(points).toEqual([
    ["orders_placed", {}, 2],
    ["requests", { route: "POST /orders/{id}", status: "2xx" }, 1],
    ["requests", { route: "GET /broken", status: "5xx" }, 2],
  ]);
  expect(metrics.find(({ name }) => name === "requests")?.sum).toMatchObject({
    aggregationTemporality: 2,
    isMonotonic: true,
  });
  const [sizes] = metrics.find(({ name }) => name === "order_size")?.histogram?.dataPoints ?? [];
  expect(sizes).toMatchObject({
    count: 1,
    sum: 2,
    explicitBounds: Array.from({ length: 19 }, (_, power) => 2 ** power),
  });
  // An OpenTelemetry bucket includes its upper bound.
  expect(sizes?.bucketCounts).toEqual(Array.from({ length: 20 }, (_, bucket) => (bucket === 1 ? 1 : 0)));

  const spans = collected.of<Span>("/v1/traces", "spans");
  expect(spans.map(({ name, kind, status }) => [name, kind, status.code])).toEqual([
    ["POST /orders/{id}", 2, 0],
    ["GET /broken", 2, 2],
  ]);
  expect(spans[0]).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7" });
  expect(spans[1]).not.toHaveProperty("parentSpanId");
  expect(valuesOf(spans[0]?.attributes ?? [])).toEqual({
    "http.request.method": "POST",
    "http.route": "POST /orders/{id}",
    "http.response.status_code": 204,
  });

  const lines = collected.of<Line>("/v1/logs", "logRecords");
  const placed = lines.find(({ body }) => body.stringValue === "placed");
  expect(placed).toMatchObject({ severityText: "INFO", traceId, spanId: spans[0]?.spanId });
  expect(service.output()).toContain(`"trace":"${traceId}"`);
});

test("requests to other servers are client spans without values, and exports are not", async () => {
  await using collected = await collector();
  const headers: IncomingHttpHeaders[] = [];
  const partner = createServer((request, response) => {
    headers.push(request.headers);
    response.writeHead(404).end();
  });
  partner.listen(0, "127.0.0.1");
  await once(partner, "listening");
  const { port } = partner.address() as AddressInfo;
  installPackages(root);
  await using service = await startService(root, "shop", {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collected.url, PARTNER: `http://127.0.0.1:${port}` },
  });
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  expect(await (await fetch(`${service.url}/charge`, { headers: { traceparent } })).json()).toBe(404);
  await expect.poll(() => collected.of<Span>("/v1/traces", "spans").length).toBeGreaterThan(0);
  expect(await (await fetch(`${service.url}/charge`, { headers: { traceparent } })).json()).toBe(404);
  expect(await service.stop()).toBe(0);
  partner.close();
  const spans = collected.of<Span>("/v1/traces", "spans");
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    "GET /charge",
    "GET /charge",
    "GET /v1/customers/{}",
    "GET /v1/customers/{}",
  ]);
  const request = spans.find(({ name }) => name === "GET /charge");
  const call = spans.find(({ parentSpanId }) => parentSpanId === request?.spanId);
  expect(call).toMatchObject({ name: "GET /v1/customers/{}", kind: 3, traceId, status: { code: 2 } });
  expect(valuesOf(call?.attributes ?? [])).toEqual({
    "http.request.method": "GET",
    "server.address": "127.0.0.1",
    "server.port": port,
    "url.full": `http://127.0.0.1:${port}/v1/customers/REDACTED?key=REDACTED`,
    "url.template": "/v1/customers/{}",
    "http.response.status_code": 404,
    "error.type": "404",
  });
  expect(headers.flatMap((each) => Object.keys(each)).filter((name) => /trace|^x-fw/.test(name))).toEqual([]);
});

test("a trace goes on from service to service", async () => {
  await using collected = await collector();
  const app = writeApplication(files);
  installPackages(app);
  await using dev = launchDev(app, ["--services"], { OTEL_EXPORTER_OTLP_ENDPOINT: collected.url });
  await dev.says("http://localhost:");
  const answer = await fetch(`http://localhost:${dev.port}/there`, {
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  });
  expect(await answer.json()).toBe(3);
  await expect.poll(() => collected.of<Span>("/v1/traces", "spans").length).toBe(3);
  const spans = collected.of<Span>("/v1/traces", "spans");
  const [there, call, stock] = [["GET /there", 2] as const, ["GET /stock", 3] as const, ["GET /stock", 2] as const].map(
    ([name, kind]) => spans.find((span) => span.name === name && span.kind === kind),
  );
  expect(there).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7" });
  expect(call).toMatchObject({ traceId, parentSpanId: there?.spanId });
  expect(stock).toMatchObject({ traceId, parentSpanId: call?.spanId });
});

/** An application with a request that sends to a queue and starts a job. Their handlers store data and make calls. */
const post = {
  "post/post.ts": `import { API, Cron, Entity, Errorf, Job, Queue, Runner, Topic, Subscribe, transaction, Worker, type ID } from "fw";
import { stamp } from "../stamps/stamps.ts";
export interface Letter { id: ID; to: string }
export const letters = Entity<Letter>("letters");
export const outgoing = Queue<{ to: string }>("outgoing");
export const written = Topic<{ to: string }>("written");
export const sorting = Job<{ to: string }>("sorting");
export const write = API("POST /letters", async (ctx, { to }: { to: string }) => {
  await transaction(ctx, async (tx) => void (await outgoing.send(tx, { to })));
  await sorting.start(ctx, { to });
});
export const carry = Worker(outgoing, async (ctx, { to }, { attempt }) => {
  ctx.log.info("carried");
  if (attempt === 1) throw Errorf(503, "rain");
  await letters.create(ctx, { to });
  await stamp.call(ctx, {});
  await written.publish(ctx, { to });
}, { minBackoff: "1s", maxBackoff: "1s" });
export const told = Subscribe(written, () => {});
export const sort = Runner(sorting, () => {});
export const sweep = Cron("sweep", "0 4 * * *", async (ctx) => { await letters.query().first(ctx); });
`,
  "stamps/stamps.ts": `import { API } from "fw";
export const stamp = API("GET /stamp", () => 1);
`,
};

test("a trace goes on with messages, their retries, jobs, calls, and what is stored; a cron begins one", async () => {
  await using collected = await collector();
  const app = writeApplication(post);
  installPackages(app);
  await using dev = launchDev(app, ["--services"], { OTEL_EXPORTER_OTLP_ENDPOINT: collected.url });
  await dev.says("http://localhost:");
  await fetch(`http://localhost:${dev.port}/letters`, {
    method: "POST",
    headers: { "content-type": "application/json", traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    body: JSON.stringify({ to: "ada" }),
  });
  const command = [fileURLToPath(new URL("../packages/fw/bin/fw.js", import.meta.url)), "run", "cron", "sweep"];
  await promisify(execFile)(process.execPath, command, { cwd: app });
  // Leaves out the command's initial check that a server answers.
  const spans = (): Span[] => collected.of<Span>("/v1/traces", "spans").filter(({ name }) => name !== "<unmatched>");
  /** Returns the names of a span's ancestors and the span. */
  const way = (span: Span): string => {
    const { name, parentSpanId } = span;
    const around = spans().find(({ spanId }) => spanId === parentSpanId);
    if (around !== undefined) return `${way(around)} > ${name}`;
    return span.traceId === traceId ? name : `new: ${name}`;
  };
  const kinds = ["internal", "server", "client", "producer", "consumer"];
  const described = (): string[] =>
    spans().map((span) => `${way(span)} (${kinds[span.kind - 1]}${span.status.code === 2 ? ", failed" : ""})`);
  const sendSpan = "POST /letters > send queue:outgoing";
  const carrySpan = `${sendSpan} > post-carry queue:outgoing`;
  await expect
    .poll(() => described().toSorted())
    .toEqual(
      [
        "POST /letters (server)",
        "POST /letters > entity.transaction (client)",
        `${sendSpan} (producer)`,
        `${carrySpan} (consumer, failed)`,
        `${carrySpan} (consumer)`,
        `${carrySpan} > entity.create letters (client)`,
        `${carrySpan} > GET /stamp (client)`,
        `${carrySpan} > GET /stamp > GET /stamp (server)`,
        `${carrySpan} > send topic:written (producer)`,
        `${carrySpan} > send topic:written > post-told topic:written (consumer)`,
        "POST /letters > send job:sorting (producer)",
        "POST /letters > send job:sorting > /_fw/api/cron/sorting (consumer)",
        "new: /_fw/api/cron/sweep (internal)",
        "new: /_fw/api/cron/sweep > entity.first letters (client)",
      ].toSorted(),
    );
  const lines = collected.of<Line>("/v1/logs", "logRecords").filter(({ body }) => body.stringValue === "carried");
  expect(lines.map((line) => line.traceId)).toEqual([traceId, traceId]);
});

test("where the packages are not installed, the service says what to install and works", async () => {
  rmSync(join(root, "node_modules/@opentelemetry"), { force: true });
  await using service = await startService(root, "back", {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" },
  });
  expect(service.output()).toContain(
    "OTEL_EXPORTER_OTLP_ENDPOINT is set, but its packages are missing, so nothing is exported: run npm install @opentelemetry/exporter-metrics-otlp-http @opentelemetry/exporter-trace-otlp-http @opentelemetry/exporter-logs-otlp-http",
  );
  expect((await fetch(`${service.url}/stock`)).status).toBe(200);
});

test("a collector that is not there costs no request, and the service ends in its time", async () => {
  installPackages(root);
  await using service = await startService(root, "back", {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" },
  });
  expect((await fetch(`${service.url}/stock`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
});
