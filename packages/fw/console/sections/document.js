import { act, sure } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { h, td, tr } from "../parts/elements.js";

/** A document that can be edited and deleted; `reload` shows what is there then. */
export function documentRow(kind, document, reload) {
  const place = { kind, id: document.id, version: document.version };
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
      await ask("documents/save", { ...place, json: area.value });
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
    sure(`Delete the document ${document.id}?`);
    await ask("documents/delete", place);
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

/** The fields one below the other, dates as dates. Edited, they are what the store keeps. */
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
