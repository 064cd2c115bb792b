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

function errorNode({ message }) {
  return h("div", { class: "bad problems", role: "alert" }, message);
}

/** Throws unless the user confirms the action. */
export function confirmAction(sentence) {
  if (!confirm(sentence)) throw new Cancelled("Canceled.");
}
