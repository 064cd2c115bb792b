// Prints as JSON, for each of two requests, the bytes that each function allocates and how often it is called. The first
// argument is "off", or "sampling" for a request that is not sampled during a load test. Calls the handler with
// exchanges of its own, so that nothing of Node's HTTP server is counted. The process must run without V8's optimizing
// compilers, which avoid more allocations the longer it runs.
import { Session } from "node:inspector/promises";
import { exchangeOf } from "./exchange.mjs";
import { endpoint } from "../../../packages/fw/dist/declare/endpoint.js";
import { MetricStore } from "../../../packages/fw/dist/runtime/observe/metrics/store.js";
import { createHandler } from "../../../packages/fw/dist/runtime/handler.js";
import { settings } from "../../../packages/fw/dist/runtime/settings.js";

/** A multiple of the number of request ids that fw makes at once. */
const batch = 512;
const dist = "/packages/fw/dist/";

const watcher = await watcherOf(process.argv[2]);
const routes = [
  { route: "GET /hello", carries: "nothing", answer: () => "hello" },
  { route: "POST /orders", carries: "json", answer: (_ctx, { body }) => body.quantity },
];
const handle = createHandler(
  {
    app: "bench",
    match: (method, path) => routes.findIndex(({ route }) => route === `${method} ${path}`),
    methods: ["GET", "POST"],
    endpoints: routes.map(endpointOf),
    packages: [{ name: "web", service: "web" }],
  },
  { settings: settings.dev, metrics: new MetricStore(), ...(watcher && { watcher }) },
);
const costs = {};
for (const scenario of [exchangeOf("GET", "/hello"), exchangeOf("POST", "/orders", JSON.stringify({ quantity: 3 }))]) {
  const send = () => handle({ ...scenario });
  // Functions allocate more in their first calls, and the first requests of a second are observed closely.
  repeat(batch, send);
  costs[`${scenario.method} ${scenario.target}`] = { bytes: await bytesOf(send), calls: await callsOf(send) };
}
process.stdout.write(JSON.stringify(costs));

async function watcherOf(recording) {
  if (recording === "off") return undefined;
  // Prevents the end of the second in which the recording observes requests closely.
  globalThis.setTimeout = () => ({ unref() {} });
  const load = (name) => import(`../../../packages/fw/dist/console/sampling/${name}.js`);
  const { TraceSampler } = await load("trace-sampler");
  const { FailSafeWatcher } = await load("fail-safe-watcher");
  return new FailSafeWatcher(new TraceSampler({ share: 0, slow: 60_000 }), (error) => {
    throw error;
  });
}

function endpointOf({ route, carries, answer }) {
  return {
    declaration: endpoint("api", route, answer),
    kind: "api",
    route,
    method: route.split(" ")[0],
    package: 0,
    signIn: false,
    private: false,
    maxAge: 0,
    carries,
    exactIntegers: false,
    decode: (raw) => raw,
  };
}

function repeat(count, work) {
  for (let i = 0; i < count; i++) work();
}

/** Returns the bytes that a batch allocates in each function. */
async function bytesOf(send) {
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.enable");
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 1,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  repeat(batch, send);
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  const bytes = {};
  // Functions of V8 and Node, such as Array.prototype.push, count for the function of fw that calls them.
  const add = ({ callFrame, selfSize, children }, caller) => {
    const { url, functionName } = callFrame;
    const name = url === import.meta.url ? undefined : (nameOf(url, functionName) ?? caller);
    if (name !== undefined && selfSize > 0) bytes[name] = (bytes[name] ?? 0) + selfSize;
    for (const child of children) add(child, name);
  };
  add(profile.head, undefined);
  return bytes;
}

/** Returns the file and the name of a function of fw; undefined for other functions. */
function nameOf(url, name) {
  return url.includes(dist) ? `${url.slice(url.indexOf(dist) + dist.length)} ${name}` : undefined;
}

/** Returns how often a batch calls each function. */
async function callsOf(send) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  repeat(batch, send);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const calls = {};
  for (const { url, functions } of result)
    for (const { functionName, ranges } of functions) {
      const name = nameOf(url, functionName);
      if (name !== undefined && ranges[0].count > 0) calls[name] = (calls[name] ?? 0) + ranges[0].count;
    }
  return calls;
}
