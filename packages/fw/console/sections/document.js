import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { h, td, tr } from "../parts/elements.js";
import { sectionLink } from "../parts/links.js";
import { declared } from "../parts/live.js";

/** The form of ids that fw creates, which may name a document of any entity. */
const idForm = /^[0-9a-hjkmnp-tv-z]{24}$/;

/** The most characters of an id on one line. */
const idCharacters = 40;

/** A table row with a document and buttons to edit and delete it. `reload` refreshes the table. */
export function documentRow(kind, document, { reload, isJSON }) {
  const address = { kind, id: document.id, version: document.version };
  const fields = ownFields(document.fields);
  const text = JSON.stringify(fields, undefined, 2);
  const targetOf = targetsOf(kind, document);
  const view = () => (isJSON ? h("pre", { tabIndex: 0 }, text) : fieldList(fields, targetOf));
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

/** Lists the fields with readable dates. The editor shows the values as stored. */
function fieldList(fields, targetOf) {
  return h(
    "dl",
    { class: "document mono" },
    Object.entries(fields).flatMap(([name, value]) => [
      h("dt", {}, name),
      h("dd", {}, valueNode(value, targetOf(name))),
    ]),
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

function plainText(value) {
  if (value && typeof value === "object" && typeof value.$date === "number") return new Date(value.$date).toISOString();
  return JSON.stringify(value);
}
