import { grantsGraph, grantsText } from "../../generate/graph-grants.ts";
import { graph, graphText } from "../../generate/graph.ts";
import { appRoot } from "../app-root.ts";
import { type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";

/** `fw gen graph`. */
export const genGraph: Command = {
  name: "gen graph",
  summary:
    "print the application's services, routes, doors, domains, roles, secrets, entities, background work and indexes",
  details: [
    "One paragraph for each service: its directory, profile, domain and site, and one line for each route with who gets in (the door, with the roles of its policy) and where it is declared. Then how people sign in, its roles and secrets, its entities with their indexed fields, its buckets, queues, topics and jobs with the services that receive from them, its workers, subscribers and runners, its crons and singletons, and at the end the composite indexes with the places that need them. The output is the same for the same source.",
    "With --grants: one paragraph for each service that is deployed, and one line for each thing that its code can reach: what it may do with it, and the first place that needs it. Lines that begin with fw are what the framework itself needs.",
  ],
  options: {
    grants: { summary: "print what each service may do, derived from its code" },
    json: { summary: "print JSON" },
  },
  examples: [
    { line: "fw gen graph", says: "for a person" },
    { line: "fw gen graph --grants", says: "what each service may do, and why" },
    { line: "fw gen graph --json", says: "for a program" },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const root = appRoot(io.cwd);
    const { soundApp, soundUses } = await import("../sound.ts");
    if (options.grants) {
      const { app, uses } = await soundUses(root);
      io.out.write(printed(options, grantsGraph(app, uses), grantsText));
    } else io.out.write(printed(options, graph(await soundApp(root)), graphText));
    return 0;
  },
};

function printed<Data>({ json }: OptionValues, data: Data, text: (data: Data) => string): string {
  return json ? `${JSON.stringify(data, undefined, 2)}\n` : text(data);
}
