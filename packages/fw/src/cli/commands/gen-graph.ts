import { graph, graphText } from "../../generate/graph.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";

/** `fw gen graph`. */
export const genGraph: Command = {
  name: "gen graph",
  summary:
    "print the application's services, routes, doors, domains, roles, secrets, entities, background work and indexes",
  details: [
    "One paragraph for each service: its directory, profile, domain and site, and one line for each route with who gets in (the door, with the roles of its policy) and where it is declared. Then how people sign in, its roles and secrets, its entities with their indexed fields, its buckets, queues, topics and jobs with the services that receive from them, its workers, subscribers and runners, its crons and singletons, and at the end the composite indexes with the places that need them. The output is the same for the same source.",
  ],
  options: { json: { summary: "print JSON" } },
  examples: [
    { line: "fw gen graph", says: "for a person" },
    { line: "fw gen graph --json", says: "for a program" },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const root = appRoot(io.cwd);
    const { analyze } = await import("../check/diagnose.ts");
    const { app, diagnostics } = await analyze(root);
    if (diagnostics.length > 0) {
      throw new Refusal(
        `the application has ${diagnostics.length === 1 ? "a problem" : `${diagnostics.length} problems`}; "fw check" shows what`,
      );
    }
    if (app.packages.length === 0) throw nothingDeclared(root);
    const found = graph(app);
    io.out.write(options.json ? `${JSON.stringify(found, undefined, 2)}\n` : graphText(found));
    return 0;
  },
};
