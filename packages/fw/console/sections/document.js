import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { h, td, tr } from "../parts/elements.js";

/** A table row with a document and buttons to edit and delete it. `reload` refreshes the table. */
export function documentRow(kind, document, reload) {
  const address = { kind, id: document.id, version: document.version };
  const text = JSON.stringify(document.fields, undefined, 2);
  const shown = td("text", fieldList(document.fields));
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
        h("button", { onclick: () => shown.replaceChildren(fieldList(document.fields)) }, "Cancel"),
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

/** Lists the fields with readable dates. The editor shows the values as stored. */
function fieldList(fields) {
  return h(
    "dl",
    { class: "document mono" },
    Object.entries(fields).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, plainText(value))]),
  );
}

function plainText(value) {
  if (value && typeof value === "object" && typeof value.$date === "number") return new Date(value.$date).toISOString();
  return JSON.stringify(value);
}
