import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { shareVariable, slowVariable } from "../../console/sampling/trace-variables.ts";
import { servedTraces } from "../../lib/own-modules.ts";
import type { IO } from "../io.ts";
import type { DashboardSettings } from "./dashboard.ts";

/**
 * Copies the recorder of traces to the server's directory and returns its path. Services that restart load the copy, so
 * that an update of fw does not change it while the server runs.
 */
export function placeTraceRecorder(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, "traces.mjs");
  copyFileSync(servedTraces, path);
  return path;
}

export function tracingEnvironment({ traces }: Pick<DashboardSettings, "traces">): IO["env"] {
  return traces === undefined ? {} : { [shareVariable]: String(traces.share), [slowVariable]: String(traces.slow) };
}
