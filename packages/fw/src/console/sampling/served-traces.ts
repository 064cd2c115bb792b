import { outgoingRecorder } from "../../runtime/observe/outgoing/record-outgoing.ts";
import type { HandlerOptions } from "../../runtime/options.ts";
import { newsEndpoint } from "../news-endpoint.ts";
import { processLoadReader } from "../timeline/process-load.ts";
import { FailSafeWatcher } from "./fail-safe-watcher.ts";
import { TraceSampler } from "./trace-sampler.ts";
import { shareVariable, slowVariable } from "./trace-variables.ts";

/**
 * Records traces in a service of `fw serve` for the operators' dashboard. Bundles do not contain this module: the
 * service receives its path at startup.
 */
export function localPages(): Required<Pick<HandlerOptions, "injected" | "watcher" | "follow">> {
  const sampler = new TraceSampler({
    share: Number(process.env[shareVariable]),
    slow: Number(process.env[slowVariable]),
  });
  const readLoad = processLoadReader();
  const injected = newsEndpoint(({ event, traces = [] }) => {
    for (const trace of traces) sampler.keep(trace);
    const { last } = sampler;
    const events = sampler.after(event);
    return {
      last,
      events,
      running: sampler.running(),
      exchanges: [],
      lastExchange: 0,
      totals: sampler.takeTotals(),
      load: readLoad(),
    };
  });
  return {
    watcher: new FailSafeWatcher(sampler, (error) =>
      process.emitWarning(`The dashboard records no more requests of this process: ${String(error)}`, {
        detail: "Build the application with this version of fw.",
      }),
    ),
    injected,
    follow: outgoingRecorder({ isLazy: true }),
  };
}
