// Handles requests without sockets and Node's HTTP server, for instructions.mjs. The last arguments are the mode of
// recording, the scenario and the number of requests. Seconds never end here, so the recording observes closely only
// the first requests, however slow the profiler is.
import { bundle, createHandler, MetricStore, settings } from "../.fw/app.mjs";
import { EventHub } from "../../packages/fw/dist/console/event-hub.js";
import { FailSafeWatcher } from "../../packages/fw/dist/console/sampling/fail-safe-watcher.js";
import { TraceSampler } from "../../packages/fw/dist/console/sampling/trace-sampler.js";
import { exchangeOf } from "../../test/support/recording/exchange.mjs";
import { order } from "./data.mjs";

const [mode, scenario, count] = process.argv.slice(2);
const fail = (error) => {
  throw error;
};
const watchers = {
  off: () => ({}),
  events: () => ({ watcher: new EventHub() }),
  sampling: () => ({ watcher: new FailSafeWatcher(new TraceSampler({ share: 0.05, slow: 500 }), fail) }),
};
const exchanges = {
  hello: exchangeOf("GET", "/hello"),
  "1 KB JSON POST": exchangeOf("POST", "/orders", JSON.stringify(order)),
};
globalThis.setTimeout = () => ({ unref() {} });
const handle = createHandler(bundle, { settings: settings.dev, metrics: new MetricStore(), ...watchers[mode]() });
for (let i = 0; i < Number(count); i++) handle({ ...exchanges[scenario] });
