import { h, none, table, td, tr } from "../parts/elements.js";
import { number } from "../parts/format.js";
import { declared, model } from "../parts/live.js";

/** The declarations to list for each service: the graph's key and the singular. */
const kinds = {
  entities: "entity",
  buckets: "bucket",
  queues: "queue",
  topics: "topic",
  jobs: "job",
  crons: "cron",
  singletons: "singleton",
};

/** The section with the architecture. */
export function application() {
  if (!model) return { nodes: [h("h1", {}, "Application"), none("fw is still analyzing the application.")] };
  const { graph, svg } = model;
  const picture = h("img", {
    alt: "Diagram of the services and the resources they use; the table below lists the services",
    src: `data:image/svg+xml,${encodeURIComponent(svg)}`,
  });
  const secrets = declared("secrets");
  const row = (service) =>
    tr(
      td("tight", service.name),
      td("tight mono", service.dir),
      td("number", number(service.routes.length)),
      td(
        "text",
        Object.entries(kinds)
          .flatMap(([key, kind]) => (service[key] ?? []).map(({ name }) => `${kind} ${name}`))
          .join(", "),
      ),
      td("tight", service.domain ?? ""),
    );
  return {
    nodes: [
      h("h1", {}, "Application"),
      h("div", { class: "card picture", tabIndex: 0, role: "region", ariaLabel: "Architecture" }, picture),
      h("h2", {}, "Services"),
      table("Services", ["Service", "Directory", ["Routes", "number"], "Declares", "Domain"], graph.services.map(row)),
      h("h2", {}, "Secrets"),
      secrets.length === 0
        ? none("The application declares no Secret.")
        : table(
            "Secrets",
            ["Name", "Service", "Declared at"],
            secrets.map(({ name, owner, at }) => tr(td("mono", name), owner, td("mono", at))),
          ),
      h("h2", {}, "Composite indexes"),
      (graph.indexes ?? []).length === 0
        ? none("No query needs a composite index.")
        : table(
            "Composite indexes",
            ["Entity", "Fields", "Needed by"],
            graph.indexes.map(({ entity, fields, neededBy }) =>
              tr(td("tight", entity), td("mono", fields.join(", ")), td("mono text", neededBy.join(", "))),
            ),
          ),
    ],
  };
}
