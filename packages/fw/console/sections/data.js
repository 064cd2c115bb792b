import { say } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { withDetail } from "../parts/detail.js";
import { placeLink } from "../parts/editor.js";
import { field, h, labelledTable, stacked, table, td, tr, undeclared } from "../parts/elements.js";
import { counted, number } from "../parts/format.js";
import { sectionLink } from "../parts/links.js";
import { latestOnly } from "../parts/latest.js";
import { declared, model } from "../parts/live.js";
import { mayLeave } from "../parts/unsaved.js";
import { columnsOf, documentRow, hasReferrers, valueText } from "./document.js";

/**
 * Creates the section that queries and edits documents of entities. Its parameters are an entity and an id, or an
 * entity with conditions and an order. Without parameters, the section lists the entities.
 */
export function data(parameters) {
  const entities = declared("entities");
  if (entities.length === 0) return { nodes: [h("h1", {}, "Data"), undeclared("Entity")] };
  const kind = h(
    "select",
    { onchange: () => chooseEntity() },
    h("option", { value: "" }, "choose…"),
    entities.map(({ name }) => h("option", { selected: name === parameters.get("entity") }, name)),
  );
  const id = h("input", { type: "search", placeholder: "any", value: parameters.get("id") ?? "" });
  const isJSON = h("input", { type: "checkbox", onchange: () => load() });
  const chosen = () => entities.find(({ name }) => name === kind.value);
  const tenant = h("input", { type: "search", placeholder: "any", value: parameters.get("tenant") ?? "" });
  const tenantField = field("Tenant", tenant);
  const filters = h("div", { class: "row" });
  const orders = () => [
    h("option", { value: "" }, "by id"),
    ...(chosen()?.indexed ?? []).flatMap((name) => [
      h("option", { value: `${name} asc` }, `${name}, ascending`),
      h("option", { value: `${name} desc` }, `${name}, descending`),
    ]),
  ];
  const order = h("select", {}, orders());
  order.value = parameters.get("order") ?? "";
  const results = h("div", {});

  function addFilter([firstField, firstOp = "==", firstValue = ""] = []) {
    const property = h(
      "select",
      { ariaLabel: "Field" },
      chosen().indexed.map((name) => h("option", { selected: name === firstField }, name)),
    );
    const op = h(
      "select",
      { ariaLabel: "Comparison" },
      ["==", "contains", "<", "<=", ">", ">="].map((each) => h("option", { selected: each === firstOp }, each)),
    );
    const value = h("input", {
      ariaLabel: "Value",
      placeholder: "open, 7, true, 2026-01-31T12:00:00Z",
      value: firstValue,
    });
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
    return value;
  }

  const begin = latestOnly();
  let shownKind;

  /** Shows the list of entities or, once an entity is chosen, its documents and the tools for them. */
  async function load(after) {
    shownKind = kind.value;
    for (const tool of tools) tool.hidden = kind.value === "";
    tenantField.hidden = chosen()?.tenant === undefined;
    remember();
    if (kind.value === "") return results.replaceChildren(await entityTable(entities));
    return showDocuments(after);
  }

  /** Writes the query into the address, so that a reload and a link show the same documents. */
  function remember() {
    const where = [...filters.children]
      .map((row) => row.read())
      .map(({ property, op, value }) => [property, op, value]);
    const values = {
      entity: kind.value,
      tenant: tenantField.hidden ? "" : tenant.value.trim(),
      id: id.value.trim(),
      order: order.value,
      where: where.length === 0 ? "" : JSON.stringify(where),
    };
    const set = Object.entries(values).filter(([, value]) => value !== "");
    history.replaceState(null, "", set.length === 0 ? "#data" : sectionLink("data", Object.fromEntries(set)));
  }

  async function showDocuments(after) {
    const isLatest = begin();
    const [property, direction] = order.value.split(" ");
    const query = {
      kind: kind.value,
      ...(!tenantField.hidden && { tenant: tenant.value.trim() }),
      filters: [...filters.children].map((row) => row.read()),
      orders: order.value === "" ? [] : [{ property, direction }],
      id: id.value.trim(),
      after,
    };
    try {
      const answer = await ask("documents", query);
      if (!isLatest()) return;
      const columns = isJSON.checked ? undefined : columnsOf(answer.documents);
      const title = `Documents of ${kind.value}`;
      const rows = answer.documents.map((document) =>
        documentRow(query.kind, document, { edit, reload: load, isJSON: isJSON.checked, columns }),
      );
      const list = columns
        ? labelledTable(title, headsOf(columns, query.kind), rows)
        : stacked(table(title, ["Id", "Document", ""], rows));
      results.replaceChildren(
        h("p", { class: "muted" }, `${counted(answer.count, "document")}, ${servedBy(query, answer)}`),
        h("p", {}, h("code", {}, queryText({ ...query, ...answer }, declarationOf(query.kind)))),
        ...(answer.documents.length === 0 ? [] : [list]),
      );
      if (answer.next) results.append(h("p", {}, h("button", { onclick: () => load(answer.next) }, "Next page")));
    } catch (error) {
      results.replaceChildren(h("p", { class: "bad" }, error.message));
    }
  }

  const { node, open, close, isOpen } = withDetail(h("div", {}, results), "Document");

  function chooseEntity() {
    if (isOpen() && !close()) kind.value = shownKind;
    else {
      filters.replaceChildren();
      order.replaceChildren(...orders());
      id.value = "";
      void load();
    }
    kind.focus();
  }

  /** Opens the form for a document, or for a new one. Its code is loaded with the first form. */
  async function openForm(button, document) {
    if (!mayLeave()) return;
    const { documentForm } = await import("./document-form.js");
    const saved = async (savedId) => {
      close();
      if (document === undefined) id.value = savedId;
      await load();
      const row = [...results.querySelectorAll("tr")].find(({ dataset }) => dataset.key === savedId);
      row?.querySelector("td:last-child button").focus();
    };
    const form = await documentForm({ kind: kind.value, document, tenant: tenant.value.trim(), saved, close });
    open(button, document ? `Edit ${document.id}` : `New document of ${kind.value}`, form.node);
    form.focus();
  }
  const edit = ({ currentTarget }, document) => openForm(currentTarget, document).catch(({ message }) => say(message));

  const tools = [
    field("Id", id),
    field("Order", order),
    h("button", { type: "button", onclick: () => addFilter().focus() }, "Add condition"),
    h("button", { class: "primary" }, "Find"),
    h("button", { type: "button", onclick: (click) => edit(click) }, "New document"),
    h("label", { class: "check" }, isJSON, "JSON"),
  ];
  if (chosen()) for (const condition of conditionsIn(parameters.get("where"))) addFilter(condition);
  void load();
  return {
    nodes: [
      h("h1", {}, "Data"),
      h(
        "form",
        { onsubmit: (event) => (event.preventDefault(), load()) },
        h("div", { class: "tools" }, field("Entity", kind), tenantField, tools),
        filters,
      ),
      node,
    ],
  };
}

/** Creates a table of the entities with their numbers of documents. */
async function entityTable(entities) {
  const counts = await ask("documents/counts");
  const row = ({ name, owner, at, indexed }) =>
    tr(
      td("text", h("a", { href: sectionLink("data", { entity: name }) }, name)),
      td("number", countText(counts[name])),
      td("text", indexed.join(", ")),
      owner,
      placeLink(at),
    );
  const heads = ["Entity", ["Documents", "number"], "Indexed fields", "Service", "Declared at"];
  return labelledTable("Entities", heads, entities.map(row));
}

function headsOf(columns, kind) {
  const fields = columns.map(({ name, isNumeric }) => (isNumeric ? [name, "number"] : name));
  return ["Id", ...fields, ...(hasReferrers(kind) ? ["Referred to by"] : []), ""];
}

/**
 * Formats the number of documents, which are counted up to a limit; "" for an entity that was declared after the count.
 */
function countText(total) {
  if (total === undefined) return "";
  const { count, isAtLeast } = total;
  return isAtLeast ? `${number(count)} or more` : number(count);
}

/** Returns the variable of an entity, for the code of a query. */
function declarationOf(entity) {
  return model.variables.find(({ kind, name }) => kind === "entity" && name === entity)?.variable ?? entity;
}

/** Parses the conditions in an address; empty if they are malformed. */
function conditionsIn(text) {
  try {
    const conditions = JSON.parse(text ?? "[]");
    return Array.isArray(conditions) ? conditions.filter(Array.isArray) : [];
  } catch {
    return [];
  }
}

/** Returns application code that runs the section's query. */
function queryText({ id, conditions: all = [], orders }, variable) {
  if (id !== "") return `${variable}.find(ctx, ${JSON.stringify(id)})`;
  const conditions = all.map(({ property, op, value }) => `.where("${property}", "${op}", ${literalOf(value)})`);
  const order = orders.map(({ property, direction }) =>
    direction === "desc" ? `.orderBy("${property}", "desc")` : `.orderBy("${property}")`,
  );
  return [`${variable}.query()`, ...conditions, ...order, ".limit(50).page(ctx)"].join("");
}

/** Returns the code of a value from the server. */
function literalOf(value) {
  if (typeof value?.$date === "number") return `new Date(${valueText(value)})`;
  return typeof value?.$int === "string" ? `${value.$int}n` : JSON.stringify(value);
}

function servedBy({ id }, { indexes }) {
  if (id !== "") return "read by its id";
  if (indexes.length === 0) return "in order of id, without an index";
  return `using ${indexes.map((index) => `the index (${index.join(", ")})`).join(" and ")}`;
}
