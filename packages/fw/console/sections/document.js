import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { h, td, tr } from "../parts/elements.js";

/** The form of ids that fw creates, which may name a document of any entity. */
const idForm = /^[0-9a-hjkmnp-tv-z]{24}$/;

/** A table row with a document and buttons to edit and delete it. `reload` refreshes the table. */
export function documentRow(kind, document, { reload, isJSON }) {
  const address = { kind, id: document.id, version: document.version };
  const fields = ownFields(document.fields);
  const text = JSON.stringify(fields, undefined, 2);
  const view = () => (isJSON ? h("pre", { tabIndex: 0 }, text) : fieldList(fields));
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
    td("tight mono", document.id),
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
function fieldList(fields) {
  return h(
    "dl",
    { class: "document mono" },
    Object.entries(fields).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, valueNode(value))]),
  );
}

/** An id leads to its document. */
function valueNode(value) {
  if (Array.isArray(value) && value.some((each) => idForm.test(each)))
    return value.flatMap((each, i) => [i === 0 ? "" : ", ", valueNode(each)]);
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
