import { clientPath } from "../../generate/client/client.ts";
import { command, type Command } from "../command.ts";
import { domainsOption, readTarget, targetOptions } from "../deploy/target.ts";

export const genCommands: readonly Command[] = [
  command({
    name: "gen client ts",
    summary: "generate a typed TypeScript client of the application's APIs",
    details: [
      "Writes one file without imports, with a typed method for each API that a browser can call. The head of the file lists what it leaves out. The same source produces the same file. See docs/client.md.",
      "While it runs, fw dev updates the client at its default path, if it exists; use --watch for other paths.",
      "The exit code is 1 if fw cannot generate a client; it prints every reason as fw check does.",
    ],
    options: {
      out: { value: "<path>", summary: `the file to write (default ${clientPath} of the application)` },
      watch: { short: "w", summary: "write it again after every file change, until Ctrl-C" },
    },
    examples: [
      { line: "fw gen client ts", says: `write ${clientPath}` },
      { line: "fw gen client ts --out web/src/api.ts --watch", says: "write it next to the code that uses it" },
    ],
    run: async (options, io) => (await import("../gen/client.ts")).writeClient(options, io),
  }),
  command({
    name: "gen openapi",
    summary: "generate an OpenAPI document of the application's APIs",
    details: [
      "Prints OpenAPI 3.1 as JSON: paths, parameters, bodies and responses with their types and doc comments, required sign-in and roles, errors, and the maximum body size. Leaves out private APIs. The same source produces the same document. See docs/client.md.",
    ],
    options: { out: { value: "<path>", summary: "write to this file instead of standard output" } },
    examples: [
      { line: "fw gen openapi", says: "print to standard output" },
      { line: "fw gen openapi --out openapi.json", says: "write a file for a client generator" },
    ],
    run: async (options, io) => (await import("../gen/openapi.ts")).writeOpenApi(options, io),
  }),
  command({
    name: "gen graph",
    summary: "print the application's services, routes, background work, data and indexes",
    details: [
      "Prints one paragraph for each service: its directory, profile, domain and site, and one line for each route with who may call it and where it is declared. Then come sign-in, roles and secrets, entities with their indexed fields, buckets, queues, topics and jobs with their receivers, workers, subscribers and runners, crons and singletons, and the composite indexes with the queries that need them. The same source produces the same output.",
      "With --grants, prints one paragraph for each deployed service and one line for each resource that its code can reach: the permitted operations, and the first place that needs them. Lines that begin with fw are needs of the framework.",
      "With --format mermaid or svg, prints a diagram of services with their routes, what they share and may do with it, where messages go, and alerts.",
    ],
    options: {
      grants: { summary: "print what each service may do, derived from its code" },
      json: { summary: "print JSON; short for --format json" },
      format: {
        value: "<form>",
        choices: ["text", "json", "mermaid", "svg"],
        summary: "text (default), json, mermaid or svg",
      },
    },
    examples: [
      { line: "fw gen graph", says: "print a summary" },
      { line: "fw gen graph --grants", says: "print what each service may do, and why" },
      { line: "fw gen graph --json", says: "print JSON for a program" },
      { line: "fw gen graph --format svg > graph.svg", says: "draw a diagram" },
    ],
    run: async (options, io) => (await import("../gen/graph.ts")).printGraph(options, io),
  }),
  command({
    name: "gen grafana",
    summary: "write a Grafana dashboard and Prometheus alert rules for the application",
    details: [
      "Writes two files. dashboard.json has charts of requests, errors and durations, and of every Counter and Histogram; import it into Grafana. rules.yml has every Alert as a rule of Prometheus, with its channels as a label for Alertmanager. The same source produces the same files. See docs/metric.md.",
    ],
    options: { out: { value: "<dir>", summary: "the directory to write to (default grafana)" } },
    examples: [
      { line: "fw gen grafana", says: "write grafana/dashboard.json and grafana/rules.yml" },
      { line: "fw gen grafana --out ops", says: "write to another directory" },
    ],
    run: async (options, io) => (await import("../gen/grafana.ts")).writeGrafana(options, io),
  }),
  command({
    name: "gen sql",
    summary: "generate the SQL that limits each service to its own rows of a PostgreSQL database",
    details: [
      "Requires --grants. Prints a database role for each service, and grants it the kinds, buckets, messages, leases and accounts that its code can reach, by row-level security. Run it as the owner of the tables, after fw serve has created them; you can run it again. fw serve uses the roles with --service-database. The same source produces the same text. See docs/postgres.md.",
    ],
    options: {
      grants: { summary: "print roles and grants, derived from the code (required)" },
      schema: { value: "<name>", summary: "the schema of the tables (default fw)" },
      out: { value: "<path>", summary: "write to this file instead of standard output" },
    },
    examples: [{ line: "fw gen sql --grants | psql notes", says: "limit every service to what its code uses" }],
    run: async (options, io) => (await import("../gen/sql.ts")).writeSql(options, io),
  }),
  command({
    name: "gen compose",
    summary: "generate a compose file: PostgreSQL, an object store, two machines and Caddy",
    details: [
      "Prints a file for docker compose that runs the application on one host: two machines with fw serve, PostgreSQL, Garage as the object store if the application declares a Bucket, and Caddy with HTTPS in front. Every secret is a variable of .env; the head of the file lists them. The same source produces the same text. See docs/self-hosting.md.",
    ],
    options: {
      objects: {
        value: "<url>",
        summary: "use this object store instead of Garage: s3://bucket?region=…&endpoint=…",
      },
      out: { value: "<path>", summary: "write to this file instead of standard output" },
    },
    examples: [{ line: "fw gen compose --out compose.yaml", says: "write the file for docker compose up" }],
    run: async (options, io) => (await import("../gen/hosting.ts")).writeCompose(options, io),
  }),
  command({
    name: "gen kubernetes",
    summary: "generate Kubernetes resources of the application",
    details: [
      "Prints a Service, a Deployment whose pods run fw serve, a HorizontalPodAutoscaler, a PodDisruptionBudget, a NetworkPolicy, and an Ingress if a Service has a domain. Memory, CPU and the number of pods follow from the declarations. Secrets come from a Secret; the head of the file shows the command that creates it. The same source produces the same text. See docs/self-hosting.md.",
    ],
    options: {
      image: { value: "<image>", summary: "the application's image, such as registry.example.com/notes:1" },
      objects: {
        value: "<url>",
        summary: "where objects are stored, if the application has buckets: s3://bucket?region=…&endpoint=…",
      },
      egress: {
        value: "<port>",
        many: true,
        summary:
          "also let pods connect to this port; 443, 5432 and the object store's are open. With --services, 443 is not open by default, and orders=443 opens it for one service. Can be repeated",
      },
      services: {
        summary:
          "give each service its own pods, ServiceAccount, autoscaler and database role, and a NetworkPolicy that admits only its callers",
      },
      out: { value: "<path>", summary: "write to this file instead of standard output" },
    },
    examples: [
      {
        line: "fw gen kubernetes --image registry.example.com/notes:1 | kubectl apply -f -",
        says: "apply to a cluster",
      },
    ],
    run: async (options, io) => (await import("../gen/hosting.ts")).writeKubernetes(options, io),
  }),
  command({
    name: "gen terraform",
    summary: "generate a Terraform configuration of a deployment",
    details: [
      "For teams that manage their infrastructure with Terraform: prints every resource that fw deploy would create, with the same names, settings and grants, for the provider google. Does not contact the project. Terraform pushes no images, so the configuration takes them as a variable. The same source produces the same text. See docs/terraform.md.",
    ],
    options: {
      ...targetOptions,
      ...domainsOption,
      out: { value: "<path>", summary: "write to this file instead of standard output" },
    },
    examples: [
      {
        line: "fw gen terraform --project acme-1 --env prod --region europe-west1 --out main.tf",
        says: "write a file to apply with Terraform",
      },
    ],
    async run(options, io) {
      const { writeTerraform } = await import("../gen/terraform.ts");
      return writeTerraform({ ...options, ...readTarget(options, io) }, io);
    },
  }),
];
