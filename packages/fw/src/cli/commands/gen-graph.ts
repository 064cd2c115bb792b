import { diagram } from "../../generate/graph-diagram.ts";
import { grantsGraph, grantsText } from "../../generate/graph-grants.ts";
import { mermaidText } from "../../generate/graph-mermaid.ts";
import { svgText } from "../../generate/graph-svg.ts";
import { graph, graphText } from "../../generate/graph.ts";
import { sourceRoot } from "../app-root.ts";
import { Refusal, type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";

const formats = ["text", "json", "mermaid", "svg"] as const;

/** `fw gen graph`. */
export const genGraph: Command = {
  name: "gen graph",
  summary:
    "print the application's services, routes, doors, domains, roles, secrets, entities, background work and indexes",
  details: [
    "One paragraph for each service: its directory, profile, domain and site, and one line for each route with who gets in (the door, with the roles of its policy) and where it is declared. Then how people sign in, its roles and secrets, its entities with their indexed fields, its buckets, queues, topics and jobs with the services that receive from them, its workers, subscribers and runners, its crons and singletons, and at the end the composite indexes with the places that need them. The output is the same for the same source.",
    "With --grants: one paragraph for each service that is deployed, and one line for each thing that its code can reach: what it may do with it, and the first place that needs it. Lines that begin with fw are what the framework itself needs.",
    "As mermaid or svg: a diagram of the services with their routes and doors, of what they share, with what each may do with it, of where messages go, and of alerts.",
  ],
  options: {
    grants: { summary: "print what each service may do, derived from its code" },
    json: { summary: "print JSON; the same as --format json" },
    format: { value: "<form>", choices: formats, summary: "text, json, mermaid or svg" },
  },
  examples: [
    { line: "fw gen graph", says: "for a person" },
    { line: "fw gen graph --grants", says: "what each service may do, and why" },
    { line: "fw gen graph --json", says: "for a program" },
    { line: "fw gen graph --format svg > graph.svg", says: "as a picture" },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const format = formatOf(options);
    const root = sourceRoot(io.cwd);
    const { soundApp, soundUses } = await import("../sound.ts");
    if (format === "mermaid" || format === "svg") {
      const { app, uses } = await soundUses(root);
      io.out.write((format === "svg" ? svgText : mermaidText)(diagram(app, uses)));
    } else if (options.grants) {
      const { app, uses } = await soundUses(root);
      io.out.write(printed(format, grantsGraph(app, uses), grantsText));
    } else io.out.write(printed(format, graph(await soundApp(root)), graphText));
    return 0;
  },
};

function formatOf({ json, grants, format = json ? "json" : "text" }: OptionValues): (typeof formats)[number] {
  if (json && format !== "json") throw new Refusal(`"--json" and "--format ${String(format)}" ask for two forms`);
  if (grants && (format === "mermaid" || format === "svg"))
    throw new Refusal(`"--format ${format}" shows what each service may do anyway; leave "--grants" out`);
  return format as (typeof formats)[number];
}

function printed<Data>(format: "text" | "json", data: Data, text: (data: Data) => string): string {
  return format === "json" ? `${JSON.stringify(data, undefined, 2)}\n` : text(data);
}
