import { randomUUID } from "node:crypto";
import { percentDecoded } from "../../lib/percent.ts";

/** The source of exported data, with OpenTelemetry's attribute names. */
export interface Resource {
  readonly attributes: Readonly<Record<string, string>>;
}

export const scope = { name: "fw" } as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the resource of this process. `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` override and extend it. */
export function resourceOf(app: string, service: string, env: Environment): Resource {
  const name = env["OTEL_SERVICE_NAME"];
  return {
    attributes: {
      "service.namespace": app,
      "service.name": service,
      "service.instance.id": randomUUID(),
      ...attributesIn(env["OTEL_RESOURCE_ATTRIBUTES"] ?? ""),
      ...(name !== undefined && name !== "" && { "service.name": name }),
    },
  };
}

/** Parses percent-encoded `key=value,key=value`; skips malformed pairs. */
function attributesIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair));
  return Object.fromEntries(
    pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? "", percentDecoded((pair[2] ?? "").trim())]])),
  );
}

/** Converts milliseconds since 1970 to seconds and nanoseconds. */
export function hrTime(ms: number): readonly [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
