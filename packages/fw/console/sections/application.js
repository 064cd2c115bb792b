import { ask } from "../parts/ask.js";
import { h, labelledTable, none, td, tr, undeclared } from "../parts/elements.js";
import { number } from "../parts/format.js";
import { placeLink } from "../parts/editor.js";
import { declared, model } from "../parts/live.js";
import { graphSection } from "./graph.js";

/** The kinds of declarations to list for each service, by their keys in the graph. */
const kinds = {
  entities: "entity",
  buckets: "bucket",
  queues: "queue",
  topics: "topic",
  jobs: "job",
  crons: "cron",
  singletons: "singleton",
};

/** Creates the section with the architecture, the services, the secrets and older data. */
export function application(query) {
  if (!model) return { nodes: [h("h1", {}, "Application"), none("fw is still analyzing the application.")] };
  const { graph } = model;
  const picture = graphSection(query.get("trace") ?? "");
  const older = h("div", {});
  const secrets = declared("secrets");
  const hasDomains = graph.services.some(({ domain }) => domain);
  const row = (service) =>
    tr(
      service.name,
      td("mono", service.dir),
      td("number", number(service.routes.length)),
      td(
        "text",
        Object.entries(kinds)
          .flatMap(([key, kind]) => (service[key] ?? []).map(({ name }) => `${kind} ${name}`))
          .join(", "),
      ),
      ...(hasDomains ? [service.domain] : []),
    );
  return {
    nodes: [
      h("h1", {}, "Application"),
      ...picture.nodes,
      h("h2", {}, "Services"),
      labelledTable(
        "Services",
        ["Service", "Directory", ["Routes", "number"], "Declares", ...(hasDomains ? ["Domain"] : [])],
        graph.services.map(row),
      ),
      h("h2", {}, "Secrets"),
      secrets.length === 0
        ? undeclared("Secret")
        : labelledTable(
            "Secrets",
            ["Name", "Service", "Declared at"],
            secrets.map(({ name, owner, at }) => tr(td("mono", name), owner, placeLink(at))),
          ),
      h("h2", {}, "Composite indexes"),
      (graph.indexes ?? []).length === 0
        ? none("No query needs a composite index.")
        : labelledTable(
            "Composite indexes",
            ["Entity", "Fields", "Needed by"],
            graph.indexes.map(({ entity, fields, neededBy }) =>
              tr(
                entity,
                td("mono", fields.join(", ")),
                td(
                  "text",
                  neededBy.map((at) => [placeLink(at), " "]),
                ),
              ),
            ),
          ),
      h("h2", {}, "Older data"),
      older,
    ],
    load: async () => {
      await Promise.all([picture.load(), ask("status").then((status) => older.replaceChildren(statusOf(status)))]);
    },
    every: 2000,
  };
}

/**
 * Creates a table of the data that the running code cannot use yet. `status` is null if the application stores none.
 */
function statusOf(status) {
  const { fills, outdated, waiting } = status ?? { fills: [], outdated: {}, waiting: {} };
  const rows = [
    ...fills.map(({ kind, fields, done, remaining }) => [`index of ${kind} (${fields})`, done, remaining]),
    ...Object.entries(outdated).map(([kind, left]) => [`documents of ${kind} that a rule rewrites`, undefined, left]),
    ...Object.entries(waiting).map(([name, left]) => [
      `messages of ${name} that wait for a version that accepts them`,
      undefined,
      left,
    ]),
  ];
  if (rows.length === 0) return none("All data is up to date with the running code.");
  const cells = ([what, done, left]) =>
    tr(td("text", what), td("number", done === undefined ? "" : number(done)), td("number", number(left)));
  return labelledTable("Older data", ["Data", ["Done", "number"], ["Left", "number"]], rows.map(cells));
}
