import { shareVariable, slowVariable } from "../../console/sampling/trace-variables.ts";
import type { IO } from "../io.ts";
import type { DashboardSettings } from "./dashboard.ts";

export function tracingEnvironment({ traces }: Pick<DashboardSettings, "traces">): IO["env"] {
  return traces === undefined ? {} : { [shareVariable]: String(traces.share), [slowVariable]: String(traces.slow) };
}
