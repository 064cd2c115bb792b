import { clientPath } from "../../generate/client/client.ts";
import { command, type Command } from "../command.ts";
import { domainsOption, readTarget, targetOptions } from "../deploy/target.ts";

export const genCommands: readonly Command[] = [
  command({
    name: "gen client ts",
    summary: "write a typed client of the application's APIs, in TypeScript",
    details: [
      "One file that imports nothing, with a typed method for each API that a browser can call. What it leaves out is at its head. The same source gives the same file. See docs/client.md.",
      "fw dev keeps the file current where it exists at its own place; elsewhere --watch does.",
      "The exit code is 1 where no client can be made of the application: every reason is a line, as of fw check.",
    ],
    options: {
      out: { value: "<path>", summary: `the file to write, ${clientPath} of the application by default` },
      watch: { short: "w", summary: "write it again whenever a file changes, until Ctrl-C" },
    },
    examples: [
      { line: "fw gen client ts", says: `to ${clientPath}` },
      { line: "fw gen client ts --out web/src/api.ts --watch", says: "beside the code that uses it" },
    ],
    async run(options, io) {
      const { writeClient } = await import("../gen/client.ts");
      return writeClient(options, io);
    },
  }),
  command({
    name: "gen openapi",
    summary: "print the application's APIs as an OpenAPI document",
    details: [
      "OpenAPI 3.1, as JSON: paths, parameters, bodies and answers with their types and doc comments, who gets in, what is refused and how large a body may be. APIs that are private are left out. The same source gives the same document. See docs/client.md.",
    ],
    options: { out: { value: "<path>", summary: "write it to this file instead" } },
    examples: [
      { line: "fw gen openapi", says: "to standard output" },
      { line: "fw gen openapi --out openapi.json", says: "for a generator of clients" },
    ],
    async run(options, io) {
      const { writeOpenApi } = await import("../gen/openapi.ts");
      return writeOpenApi(options, io);
    },
  }),
  command({
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
      format: { value: "<form>", choices: ["text", "json", "mermaid", "svg"], summary: "text, json, mermaid or svg" },
    },
    examples: [
      { line: "fw gen graph", says: "for a person" },
      { line: "fw gen graph --grants", says: "what each service may do, and why" },
      { line: "fw gen graph --json", says: "for a program" },
      { line: "fw gen graph --format svg > graph.svg", says: "as a picture" },
    ],
    async run(options, io) {
      const { printGraph } = await import("../gen/graph.ts");
      return printGraph(options, io);
    },
  }),
  command({
    name: "gen grafana",
    summary: "write a Grafana dashboard and Prometheus alert rules for the application",
    details: [
      "Writes two files. dashboard.json has charts of requests, errors and durations, and of every Counter and Histogram; import it into Grafana. rules.yml has every Alert as a rule of Prometheus, with its channels as a label for Alertmanager. The same source gives the same files. See docs/metric.md.",
    ],
    options: { out: { value: "<dir>", summary: "the directory to write to, grafana by default" } },
    examples: [
      { line: "fw gen grafana", says: "to grafana/dashboard.json and grafana/rules.yml" },
      { line: "fw gen grafana --out ops", says: "to another directory" },
    ],
    async run(options, io) {
      const { writeGrafana } = await import("../gen/grafana.ts");
      return writeGrafana(options, io);
    },
  }),
  command({
    name: "gen terraform",
    summary: "print what a deploy would make as a configuration of Terraform",
    details: [
      "For those who have to own their infrastructure: every resource that fw deploy would make, with the same names, settings and grants, for the provider google. Nothing is asked of the project. The images of services come in by a variable, since Terraform pushes none. The same source gives the same text. See docs/terraform.md.",
    ],
    options: { ...targetOptions, ...domainsOption, out: { value: "<path>", summary: "write it to this file instead" } },
    examples: [
      {
        line: "fw gen terraform --project acme-1 --env prod --region europe-west1 --out main.tf",
        says: "to be applied by Terraform",
      },
    ],
    async run(options, io) {
      const { writeTerraform } = await import("../gen/terraform.ts");
      return writeTerraform({ ...options, ...readTarget(options, io) }, io);
    },
  }),
];
