import { h } from "./elements.js";

const status = document.getElementById("status");

let timer;
export function say(sentence) {
  status.textContent = sentence;
  clearTimeout(timer);
  timer = setTimeout(() => (status.textContent = ""), 6000);
}

/** Thrown if the user does not confirm an action. */
class Cancelled extends Error {}

/**
 * Returns an event handler that runs `work`, disables its button until `work` is done, and reports the result. An error
 * stays below the button until the next click.
 */
export function act(work, done) {
  let shown;
  return async (event) => {
    event?.preventDefault();
    const button = event?.submitter ?? (event?.type === "click" ? event.currentTarget : undefined);
    shown?.remove();
    if (button) button.disabled = true;
    try {
      const result = await work();
      if (done) say(typeof done === "function" ? done(result) : done);
    } catch (error) {
      // Reloading a list may have removed the button.
      if (button?.isConnected && !(error instanceof Cancelled)) showBelow(button, (shown = errorNode(error)));
      else say(error.message);
    } finally {
      if (button) button.disabled = false;
    }
  };
}

function showBelow(button, node) {
  (button.closest(".row") ?? button).after(node);
}

/**
 * Creates an alert with the message of an error, or with the problems of the input, whose fields link to the editor.
 */
function errorNode({ message, problems = [] }) {
  const rows = problems.map(({ at, problem }) => h("li", {}, at !== "" && [fieldButton(at), ": "], problem));
  const content = rows.length === 0 ? message : h("ul", { ariaLabel: "Problems" }, rows);
  return h("div", { class: "bad problems", role: "alert" }, content);
}

/** Creates a button that selects the name of a field in the editor above it. */
function fieldButton(path) {
  const select = ({ currentTarget }) => {
    const editor = currentTarget.closest("td, .card")?.querySelector("textarea");
    const at = positionOf(path, editor?.value ?? "");
    if (editor && at >= 0) editor.setSelectionRange(at, editor.value.indexOf('"', at + 1) + 1);
    // The focus scrolls to the selection.
    editor?.focus();
  };
  return h("button", { class: "link mono", title: "Show in the editor", onclick: select }, path);
}

/** Returns the position in JSON of the name of a path's last field, after the names of the enclosing fields. */
function positionOf(path, text) {
  const names = path.split(/[.[\]]+/).filter((name) => name !== "" && !/^\d+$/.test(name));
  return names.reduce((from, name) => {
    const at = text.indexOf(JSON.stringify(name), from);
    return at < 0 ? from : at;
  }, 0);
}

/** Throws unless the user confirms an action that cannot be undone. */
export function confirmAction(sentence) {
  if (!confirm(sentence)) throw new Cancelled("Canceled.");
}
