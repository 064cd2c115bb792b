import { join, resolve } from "node:path";
import { grafanaDashboard } from "../../generate/grafana/dashboard.ts";
import { prometheusRules } from "../../generate/grafana/rules.ts";
import { sourceRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { json } from "../print/output.ts";
import { checkedApp } from "../checked-app.ts";
import { write } from "./write.ts";

/** Writes the dashboard and the alert rules into a directory. */
export async function writeGrafana(
  { out = "grafana" }: { readonly out: string | undefined },
  io: IO,
): Promise<ExitCode> {
  const app = await checkedApp(sourceRoot(io.cwd));
  const directory = resolve(io.cwd, out);
  write(join(directory, "dashboard.json"), json(grafanaDashboard(app)), io);
  write(join(directory, "rules.yml"), json(prometheusRules(app)), io);
  return 0;
}
