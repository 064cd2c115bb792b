import { act } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { field, h, labelledTable, td, tr } from "../parts/elements.js";
import { jsonText, parseJson } from "../parts/json.js";
import { declared, model } from "../parts/live.js";
import { forgetChanges, guardChanges } from "../parts/unsaved.js";
import { valueEditor } from "../form/editor.js";
import { documentText } from "./document.js";

/**
 * Creates the form that edits a document, or creates one if there is none. `tenant` is the initial tenant of a new
 * document. Calls `saved` with the id of the document, and `close` if the user cancels.
 */
export async function documentForm({ kind, document, tenant, saved, close }) {
  const { tenant: tenantName, refs = [] } = entityOf(kind);
  const newTenant = h("input", { required: true, value: tenant, autocomplete: "off" });
  const newId = h("input", { placeholder: "a new id", autocomplete: "off" });
  const ownTenant = () => (document ? document.id.slice(0, document.id.indexOf("/")) : newTenant.value.trim());
  const editor = valueEditor({
    form: await ask("form", { name: `document ${kind}` }),
    json: document && documentText(document),
    label: document ? `Document ${document.id}` : "New document",
    references: new Map(refs.map(({ field: name, entity }) => [name, entity])),
    tenantOf: (entity) => (entityOf(entity).tenant === undefined ? undefined : ownTenant()),
  });
  const conflict = h("section", { ariaLabel: "Conflict" });
  guardChanges(() => editor.isChanged());

  async function store(json) {
    const { id, version } = document ?? {};
    if (document) await ask("documents/save", { kind, id, version, json });
    else {
      const values = { kind, id: newId.value.trim(), json, ...(tenantName && { tenant: ownTenant() }) };
      return (await ask("documents/create", values)).id;
    }
    return id;
  }
  const save = act(
    async () => {
      const json = editor.read();
      if (json === undefined) return false;
      try {
        const id = await store(json);
        forgetChanges();
        await saved(id);
        return true;
      } catch (error) {
        if (error.code === "conflict") await showConflict(json);
        else if (error.problems) editor.showProblems(error.problems);
        else throw error;
        return false;
      }
    },
    (isStored) => (isStored ? (document ? "Saved." : "Created.") : ""),
  );

  /** Shows the stored version of the document next to the user's, after another change to it. */
  async function showConflict(json) {
    const before = document;
    const [stored] = (await ask("documents", { kind, id: before.id })).documents;
    if (stored === undefined)
      throw new Error("Another change has deleted the document. Copy your text from the JSON view to create it again.");
    const texts = { opened: documentText(before), stored: documentText(stored), own: json };
    const resume = (text) => {
      document = stored;
      conflict.replaceChildren();
      editor.reset(texts.stored);
      if (text !== texts.stored) editor.show(text);
      editor.focus();
    };
    conflict.replaceChildren(...conflictNodes(texts, resume));
    conflict.querySelector("h3").focus();
  }

  const { sample } = model.documents?.find(({ entity }) => entity === kind) ?? {};
  const fillIn = () => {
    if (editor.isChanged() && !confirm("Replace what you have entered with a sample?")) return;
    editor.show(sample);
    editor.focus();
  };
  const node = h(
    "form",
    { noValidate: true, onsubmit: save },
    !document &&
      h("div", { class: "fields" }, tenantName && field(`Id in ${tenantName}`, newTenant), field("Id", newId)),
    !document && sample && h("p", {}, h("button", { type: "button", onclick: fillIn }, "Fill in a sample")),
    editor.node,
    conflict,
    h(
      "p",
      { class: "row" },
      h("button", { class: "primary" }, document ? "Save" : "Create"),
      h("button", { type: "button", onclick: close }, "Cancel"),
    ),
  );
  return { node, focus: () => (document || !tenantName ? editor : newTenant).focus() };
}

function entityOf(kind) {
  return declared("entities").find(({ name }) => name === kind) ?? {};
}

/**
 * Creates the comparison of the stored version with the user's, with buttons that apply the user's changes to the
 * stored version or discard them. `resume` receives the resulting text.
 */
function conflictNodes(texts, resume) {
  const [opened, stored, own] = [texts.opened, texts.stored, texts.own].map(parseJson);
  const names = [...new Set([opened, stored, own].flatMap(Object.keys))];
  const textIn = (fields, name) => (Object.hasOwn(fields, name) ? jsonText(fields[name], "") : "absent");
  const rows = names
    .filter((name) => textIn(stored, name) !== textIn(own, name))
    .map((name) => tr(name, ...[opened, stored, own].map((fields) => td("text mono", textIn(fields, name)))));
  const changes = names.filter((name) => textIn(opened, name) !== textIn(own, name));
  const apply = () => {
    const kept = Object.entries(stored).filter(([name]) => !changes.includes(name));
    const changed = changes.filter((name) => Object.hasOwn(own, name)).map((name) => [name, own[name]]);
    resume(jsonText(Object.fromEntries([...kept, ...changed])));
  };
  const heads = ["Field", "When you opened it", "Stored now", "Yours"];
  return [
    h("h3", { tabIndex: -1, class: "warn" }, "The document has changed since you opened it"),
    rows.length > 0 && labelledTable("Differences between the versions", heads, rows),
    h(
      "p",
      { class: "row" },
      h("button", { type: "button", class: "primary", onclick: apply }, "Apply my changes to the stored version"),
      h("button", { type: "button", onclick: () => resume(texts.stored) }, "Discard my changes"),
    ),
    h("p", { class: "muted" }, "Nothing is stored until you save again."),
  ].filter(Boolean);
}
