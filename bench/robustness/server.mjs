// The service as deployed, with an additional channel that reports its state.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const [app, flushMs = "0"] = process.argv.slice(2);
const { bundle, createHandler, loadMarkdown, serve, settings, stopOnSignals } = await import(app);
await loadMarkdown();
setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

const answers = {
  memory: () => process.memoryUsage.rss(),
  settled: () => {
    gc();
    return process.memoryUsage.rss();
  },
  reset: () => delay.reset(),
  /** Returns the longest event-loop delay since the last reset, in milliseconds. */
  stall: () => delay.max / 1e6,
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};
process.on("message", ({ id, what }) => process.send?.({ id, value: answers[what]() ?? null }));

const server = await serve(
  createHandler(bundle, { settings: settings.built("refused"), metrics: { define() {}, request() {} } }),
  {
    host: "127.0.0.1",
    port: 0,
  },
);
stopOnSignals(server, {
  flush: async () => {
    process.stderr.write("flushing\n");
    await new Promise((resolve) => setTimeout(resolve, Number(flushMs)));
    process.stderr.write("flushed\n");
  },
});
process.send({ port: server.port });
process.channel.unref();
