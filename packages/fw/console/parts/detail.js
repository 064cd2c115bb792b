import { h } from "./elements.js";
import { mayLeave } from "./unsaved.js";

/** Adds a panel for the details of one row next to a list. Calls `closed` after the panel is closed. */
export function withDetail(list, label, closed = () => {}) {
  const detail = h("aside", { class: "card padded", ariaLabel: label, hidden: true });
  const node = h("div", { class: "columns" }, list, detail);
  let opener;

  /** Closes the panel. Returns false if the user keeps unsaved changes. */
  function close() {
    if (!mayLeave()) return false;
    detail.hidden = true;
    node.classList.remove("open");
    closed();
    opener?.closest("tr")?.classList.remove("chosen");
    // If the row has disappeared, focus the first link of the list.
    (opener?.isConnected ? opener : list.querySelector("button.link"))?.focus();
    return true;
  }

  /** Opens the panel. `button` is the element that opened it, which gets the focus back when the panel is closed. */
  function open(button, title, content) {
    for (const chosen of list.querySelectorAll(".chosen")) chosen.classList.remove("chosen");
    opener = button;
    opener.closest("tr")?.classList.add("chosen");
    node.classList.add("open");
    detail.hidden = false;
    const heading = h("h2", { class: "mono", tabIndex: -1 }, title);
    detail.replaceChildren(
      h("div", { class: "head" }, heading, h("button", { onclick: close }, "Close")),
      ...[content].flat(),
    );
    heading.focus();
  }

  detail.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  return { node, open, close, isOpen: () => !detail.hidden };
}
