export type { Bundle } from "./bundle.ts";
export { createHandler, type Handler } from "./handler.ts";
export type { InjectedEndpoint, InjectedEndpoints, InjectedRequest } from "./injected.ts";
export type { LogRecord, LogSink } from "./log.ts";
export { jsonLine, lineSink, readableLine } from "./log-line.ts";
export type { RequestMetrics } from "./metrics.ts";
export type { Decorate, HandlerOptions, RequestFault } from "./options.ts";
export { serve, serveHanded, type HandedServer, type RunningServer, type ServeOptions } from "./server.ts";
export { stopOnSignals, type StopOptions } from "./signals.ts";
