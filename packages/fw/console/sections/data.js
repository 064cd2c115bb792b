import { ask } from "../parts/ask.js";
import { field, h, none, table } from "../parts/elements.js";
import { number } from "../parts/format.js";
import { declared } from "../parts/live.js";
import { documentRow } from "./document.js";

/** The section that queries and edits documents of entities. */
export function data() {
  const entities = declared("entities");
  if (entities.length === 0) return { nodes: [h("h1", {}, "Data"), none("The application declares no Entity.")] };
  const kind = h(
    "select",
    { onchange: () => (filters.replaceChildren(), order.replaceChildren(...orders()), load()) },
    entities.map(({ name }) => h("option", {}, name)),
  );
  const chosen = () => entities.find(({ name }) => name === kind.value);
  const filters = h("div", { class: "row" });
  const orders = () => [
    h("option", { value: "" }, "by id"),
    ...chosen().indexed.flatMap((name) => [
      h("option", { value: `${name} asc` }, `${name}, ascending`),
      h("option", { value: `${name} desc` }, `${name}, descending`),
    ]),
  ];
  const order = h("select", {}, orders());
  const results = h("div", {});

  function addFilter() {
    const property = h(
      "select",
      { ariaLabel: "Field" },
      chosen().indexed.map((name) => h("option", {}, name)),
    );
    const op = h(
      "select",
      { ariaLabel: "Comparison" },
      ["==", "<", "<=", ">", ">="].map((each) => h("option", {}, each)),
    );
    const value = h("input", { ariaLabel: "Value", placeholder: 'open, 7, true, {"$date": 0}' });
    const row = h(
      "span",
      { class: "row", role: "group", ariaLabel: "Condition" },
      property,
      op,
      value,
      h("button", { type: "button", onclick: () => row.remove() }, "Remove"),
    );
    row.read = () => ({ property: property.value, op: op.value, value: value.value });
    filters.append(row);
    value.focus();
  }

  async function load(after) {
    const [property, direction] = order.value.split(" ");
    const query = {
      kind: kind.value,
      filters: [...filters.children].map((row) => row.read()),
      orders: order.value === "" ? [] : [{ property, direction }],
      after,
    };
    try {
      const answer = await ask("documents", query);
      const via =
        answer.indexes.length === 0
          ? "in order of id, without an index"
          : `using ${answer.indexes.map((index) => `the index (${index.join(", ")})`).join(" and ")}`;
      const list = table(
        `Documents of ${kind.value}`,
        ["Id", "Document", ""],
        answer.documents.map((document) => documentRow(query.kind, document, load)),
      );
      results.replaceChildren(
        h("p", { class: "muted" }, `${number(answer.count)} ${answer.count === 1 ? "document" : "documents"}, ${via}`),
        ...(answer.documents.length === 0 ? [] : [list]),
      );
      if (answer.next) results.append(h("p", {}, h("button", { onclick: () => load(answer.next) }, "Next page")));
    } catch (error) {
      results.replaceChildren(h("p", { class: "bad" }, error.message));
    }
  }

  void load();
  return {
    nodes: [
      h("h1", {}, "Data"),
      h(
        "form",
        { onsubmit: (event) => (event.preventDefault(), load()) },
        h(
          "div",
          { class: "tools" },
          field("Entity", kind),
          field("Order", order),
          h("button", { type: "button", onclick: addFilter }, "Add condition"),
          h("button", { class: "primary" }, "Find"),
        ),
        filters,
      ),
      results,
    ],
  };
}
