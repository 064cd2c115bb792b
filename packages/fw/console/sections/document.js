import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { h, td, tr } from "../parts/elements.js";
import { number } from "../parts/format.js";
import { sectionLink } from "../parts/links.js";
import { declared } from "../parts/live.js";

/** The form of ids that fw creates, which may name a document of any entity. */
const idForm = /^[0-9a-hjkmnp-tv-z]{24}$/;

/** The most characters of an id on one line. */
const idCharacters = 40;

/** The most characters of a value that is shown whole, and the first ones of a longer value. */
const valueCharacters = 400;
const firstCharacters = 160;

/** A table row with a document and buttons to edit and delete it. `reload` refreshes the table. */
export function documentRow(kind, document, { reload, isJSON }) {
  const address = { kind, id: document.id, version: document.version };
  const fields = ownFields(document.fields);
  const text = valueText(fields);
  const targetOf = targetsOf(kind, document);
  const view = () =>
    isJSON ? h("pre", { tabIndex: 0 }, text) : fieldList(fields, targetOf, referrersOf(kind, document));
  const shown = td("text", view());
  const edit = () => {
    const area = h("textarea", {
      value: text,
      ariaLabel: `Document ${document.id}`,
      rows: Math.min(24, text.split("\n").length + 1),
      spellcheck: false,
    });
    const save = act(async () => {
      await ask("documents/save", { ...address, json: area.value });
      await reload();
    }, "Saved.");
    shown.replaceChildren(
      area,
      h(
        "p",
        { class: "row" },
        h("button", { class: "primary", onclick: save }, "Save"),
        h("button", { onclick: () => shown.replaceChildren(view()) }, "Cancel"),
      ),
    );
    area.focus();
  };
  const remove = act(async () => {
    confirmAction(`Delete document ${document.id}?`);
    await ask("documents/delete", address);
    await reload();
  }, "Deleted.");
  return tr(
    td(document.id.length > idCharacters ? "mono" : "tight mono", document.id),
    shown,
    td(
      "tight",
      h(
        "span",
        { class: "row" },
        h("button", { onclick: edit }, "Edit"),
        h("button", { class: "danger", onclick: remove }, "Delete"),
      ),
    ),
  );
}

/** The fields without those that fw stores for tenants. */
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

/** Returns the links to the documents that name this one in a field with an index. */
function referrersOf(kind, { id }) {
  const entities = declared("entities");
  const { tenant: ownTenant } = entities.find(({ name }) => name === kind) ?? {};
  const slash = ownTenant === undefined ? -1 : id.indexOf("/");
  const tenant = id.slice(0, Math.max(0, slash));
  return entities.flatMap(({ name, refs = [], indexed }) =>
    refs
      .filter(({ field, entity }) => entity === kind && indexed.includes(field))
      .map(({ field }) => {
        const where = JSON.stringify([[field, "==", id.slice(slash + 1)]]);
        return h(
          "a",
          { href: sectionLink("data", { entity: name, where, ...(tenant !== "" && { tenant }) }) },
          `${name} by ${field}`,
        );
      }),
  );
}

/**
 * Returns what leads from the value of a field to the document that it names, for fields whose type names the entity.
 * Documents of a tenant have its id in front of their own.
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

/** An id leads to its document: by the link of its field, or else by a search in all entities. */
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

/** A long value is folded. */
function plainText(value) {
  const { $date: date, $int: integer } = value ?? {};
  const text = typeof date === "number" ? new Date(date).toISOString() : (integer ?? valueText(value, ""));
  if (text.length <= valueCharacters) return text;
  const rest = `${text.slice(0, firstCharacters)}… (${number(text.length)} characters)`;
  return h("details", {}, h("summary", {}, rest), text);
}

/**
 * A value as the JSON of requests has it: dates as text, and 64-bit integers as digits. Tags of other values, such as
 * NaN, stay.
 */
export function valueText(value, indent = "  ", margin = "\n") {
  if (typeof value?.$date === "number") return JSON.stringify(new Date(value.$date));
  if (typeof value?.$int === "string") return value.$int;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = indent === "" ? "" : margin + indent;
  const member = ([name, each]) =>
    `${JSON.stringify(name)}:${indent === "" ? "" : " "}${valueText(each, indent, inner)}`;
  const parts = isList ? value.map((each) => valueText(each, indent, inner)) : Object.entries(value).map(member);
  const [open, close] = isList ? "[]" : "{}";
  if (parts.length === 0) return open + close;
  return `${open}${inner}${parts.join(`,${inner}`)}${indent === "" ? "" : margin}${close}`;
}
