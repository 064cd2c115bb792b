import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { h, keyed, td, tr } from "../parts/elements.js";
import { number } from "../parts/format.js";
import { structureText } from "../parts/json.js";
import { sectionLink } from "../parts/links.js";
import { declared } from "../parts/live.js";

/** Matches ids that fw creates, which may belong to a document of any entity. */
const idForm = /^[0-9a-hjkmnp-tv-z]{24}$/;

/** The maximum number of characters of an id on one line. */
const idCharacters = 40;

/**
 * The maximum number of characters of a value that is shown in full, and the number that is shown of a longer value.
 */
const valueCharacters = 400;
const firstCharacters = 160;

/** The maximum number of characters of a row with a column for each field, and of a value that does not wrap. */
const rowCharacters = 115;
const wrappedCharacters = 24;

/** The distance between two columns, in characters. */
const columnGap = 3;

/**
 * Returns the fields that get a column each. Returns undefined if there are none or rows would be too wide; each document
 * is then a list of fields.
 */
export function columnsOf(documents) {
  const rows = documents.map(({ fields }) => ownFields(fields));
  const columns = [...new Set(rows.flatMap(Object.keys))].map((name) => {
    const values = rows.filter((row) => name in row).map((row) => row[name]);
    const longest = Math.max(...values.map((value) => textOf(value).length));
    return { name, longest, isNumeric: values.every((value) => typeof value === "number") };
  });
  if (columns.length === 0 || columns.some(({ longest }) => longest > firstCharacters)) return undefined;
  const idWidth = Math.min(idCharacters, Math.max(...documents.map(({ id }) => textOf(id).length)));
  const widths = columns.map(({ name, longest }) => Math.max(name.length, Math.min(longest, wrappedCharacters)));
  const total = [idWidth, ...widths].reduce((sum, width) => sum + columnGap + width, 0);
  return total > rowCharacters ? undefined : columns;
}

/** True if an indexed field of any entity refers to documents of this one. */
export const hasReferrers = (kind) => referencesTo(kind).length > 0;

/**
 * Creates a table row with a document and buttons to edit and delete it. `edit` receives the click and the document;
 * `reload` refreshes the table. Without `columns`, one cell shows the whole document.
 */
export function documentRow(kind, document, { edit, reload, isJSON, columns }) {
  const address = { kind, id: document.id, version: document.version };
  const fields = ownFields(document.fields);
  const targetOf = targetsOf(kind, document);
  const referrers = referrersOf(kind, document);
  const cells = columns
    ? [
        ...columns.map(({ name, isNumeric }) => fieldCell(fields[name], isNumeric, targetOf(name))),
        ...(referrers.length > 0 ? [td("text", h("span", { class: "row" }, referrers))] : []),
      ]
    : [td("text", isJSON ? h("pre", { tabIndex: 0 }, documentText(document)) : fieldList(fields, targetOf, referrers))];
  const remove = act(async () => {
    confirmAction(`Delete document ${document.id}?`);
    await ask("documents/delete", address);
    await reload();
  }, "Deleted.");
  const row = tr(
    td(document.id.length > idCharacters ? "mono" : "tight mono", document.id),
    ...cells,
    td(
      "tight",
      h(
        "span",
        { class: "row" },
        h("button", { onclick: (click) => edit(click, document) }, "Edit"),
        h("button", { class: "danger", onclick: remove }, "Delete"),
      ),
    ),
  );
  return keyed(document.id, row);
}

/** Formats the fields of a document as JSON. */
export function documentText({ fields }) {
  return valueText(ownFields(fields));
}

/** Creates the cell of a field, which is empty without a value. A short value, such as a date, stays on one line. */
function fieldCell(value, isNumeric, link) {
  const width = isNumeric ? "number" : textOf(value ?? "").length > wrappedCharacters ? "text" : "tight";
  return td(`${width} mono`, value !== undefined && valueNode(value, link));
}

/** Leaves out the fields that fw stores for tenants. */
function ownFields(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith("@")));
}

/** Lists the fields, and the links to the documents that refer to this one. */
function fieldList(fields, targetOf, referrers) {
  return h(
    "dl",
    { class: "document mono" },
    Object.entries(fields).flatMap(([name, value]) => [
      h("dt", {}, name),
      h("dd", {}, valueNode(value, targetOf(name))),
    ]),
    referrers.length > 0 && [h("dt", {}, "referred to by"), h("dd", { class: "row" }, referrers)],
  );
}

/** Returns links to the documents that refer to this one: one for each indexed field that can refer to it. */
function referrersOf(kind, { id }) {
  const { tenant: ownTenant } = declared("entities").find(({ name }) => name === kind) ?? {};
  const slash = ownTenant === undefined ? -1 : id.indexOf("/");
  const tenant = id.slice(0, Math.max(0, slash));
  return referencesTo(kind).map(({ entity, field }) => {
    const where = JSON.stringify([[field, "==", id.slice(slash + 1)]]);
    return h(
      "a",
      { href: sectionLink("data", { entity, where, ...(tenant !== "" && { tenant }) }) },
      `${entity} by ${field}`,
    );
  });
}

/** Returns the indexed fields that refer to documents of an entity. */
function referencesTo(kind) {
  return declared("entities").flatMap(({ name, refs = [], indexed }) =>
    refs
      .filter(({ field, entity }) => entity === kind && indexed.includes(field))
      .map(({ field }) => ({ entity: name, field })),
  );
}

/**
 * Returns a function that takes the name of a field. For a reference, it returns a function from the field's value to
 * the link to the document; otherwise undefined. The ids of a tenant's documents start with the tenant's id.
 */
function targetsOf(kind, { id }) {
  const entities = declared("entities");
  const { refs = [] } = entities.find(({ name }) => name === kind) ?? {};
  return (field) => {
    const target = refs.find((ref) => ref.field === field)?.entity;
    if (target === undefined) return undefined;
    const hasTenant = entities.find(({ name }) => name === target)?.tenant !== undefined;
    const prefix = hasTenant ? id.slice(0, id.indexOf("/") + 1) : "";
    return (value) => sectionLink("data", { entity: target, id: prefix + value });
  };
}

/** Creates the nodes of a value. An id links to its document, with `link` or else by a search in all entities. */
function valueNode(value, link) {
  if (Array.isArray(value) && value.some((each) => link || idForm.test(each)))
    return value.flatMap((each, i) => [i === 0 ? "" : ", ", valueNode(each, link)]);
  if (link && typeof value === "string") return h("a", { href: link(value), title: "Show the document" }, value);
  if (typeof value !== "string" || !idForm.test(value)) return plainText(value);
  return h(
    "button",
    { class: "link mono", title: "Show the document", onclick: act(() => showDocument(value)) },
    value,
  );
}

async function showDocument(id) {
  const { entities } = await ask("documents/locate", { id });
  if (entities.length === 0) throw new Error(`No document has the id ${id}.`);
  location.hash = `#data?${new URLSearchParams({ entity: entities[0], id })}`;
}

/** Creates the text of a value, folded if it is long. */
function plainText(value) {
  const text = textOf(value);
  if (text.length <= valueCharacters) return text;
  const rest = `${text.slice(0, firstCharacters)}… (${number(text.length)} characters)`;
  return h("details", {}, h("summary", {}, rest), text);
}

/** Formats a value on one line, dates without quotes. */
function textOf(value) {
  const { $date: date, $int: integer } = value ?? {};
  return typeof date === "number" ? new Date(date).toISOString() : (integer ?? valueText(value, ""));
}

/**
 * Formats a value as the JSON of requests: dates as strings, and 64-bit integers as digits. Keeps the tags of other
 * values, such as NaN.
 */
export function valueText(value, indent) {
  return structureText(value, taggedText, indent);
}

function taggedText(value) {
  if (typeof value?.$date === "number") return JSON.stringify(new Date(value.$date));
  if (typeof value?.$int === "string") return value.$int;
  return typeof value === "object" && value !== null ? undefined : JSON.stringify(value);
}
