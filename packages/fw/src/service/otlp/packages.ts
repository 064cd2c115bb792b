/** Sends data. Calls `done` with code 0 if it succeeded. */
export interface Exporter<Data> {
  export(data: Data, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
  shutdown(): Promise<void>;
}

/**
 * The exporters of the OpenTelemetry project, which read the collector's address and all other settings from the
 * environment.
 */
export interface Exporters {
  readonly metrics: Exporter<object>;
  readonly traces: Exporter<readonly object[]>;
  readonly logs: Exporter<readonly object[]>;
}

const packages = {
  metrics: ["@opentelemetry/exporter-metrics-otlp-http", "OTLPMetricExporter"],
  traces: ["@opentelemetry/exporter-trace-otlp-http", "OTLPTraceExporter"],
  logs: ["@opentelemetry/exporter-logs-otlp-http", "OTLPLogExporter"],
} as const;

/** Loads the packages that the application has installed. Warns and returns undefined if one is missing. */
export async function loadExporters(warn: (sentence: string) => void): Promise<Exporters | undefined> {
  try {
    const [metrics, traces, logs] = await Promise.all([
      load<Exporters["metrics"]>(packages.metrics),
      load<Exporters["traces"]>(packages.traces),
      load<Exporters["logs"]>(packages.logs),
    ]);
    return { metrics, traces, logs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const names = Object.values(packages).map(([name]) => name);
    warn(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but its packages are missing, so nothing is exported: run npm install ${names.join(" ")}`,
    );
    return undefined;
  }
}

/**
 * Creates the exporter of a package. Imports the package by a name that is not a literal, so bundlers do not include
 * it.
 */
async function load<Kind>([name, exported]: readonly [name: string, exported: string]): Promise<Kind> {
  const module = (await import(name)) as Readonly<Record<string, new () => Kind>>;
  const Constructor = module[exported];
  if (Constructor === undefined) throw new Error(`${name} has no ${exported}: install version 0.200 or later`);
  return new Constructor();
}
