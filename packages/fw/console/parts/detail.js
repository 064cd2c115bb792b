import { h } from "./elements.js";

/** A list with what somebody has opened of it beside it. */
export function withDetail(list, label) {
  const detail = h("aside", { class: "card padded", ariaLabel: label, hidden: true });
  const node = h("div", { class: "columns" }, list, detail);
  let from;

  function close() {
    detail.hidden = true;
    node.classList.remove("open");
    from?.closest("tr")?.classList.remove("chosen");
    // A row that has gone meanwhile cannot be gone back to.
    (from?.isConnected ? from : list.querySelector("button.link"))?.focus();
  }

  /** `button` is what it was opened by. */
  function open(button, title, content) {
    for (const chosen of list.querySelectorAll(".chosen")) chosen.classList.remove("chosen");
    from = button;
    from.closest("tr")?.classList.add("chosen");
    node.classList.add("open");
    detail.hidden = false;
    const heading = h("h2", { class: "mono", tabIndex: -1 }, title);
    detail.replaceChildren(
      h("div", { class: "head" }, heading, h("button", { onclick: close }, "Close")),
      ...[content].flat(),
    );
    heading.focus();
  }

  /** The same with other content; where somebody is in it stays. */
  function refresh(content) {
    while (detail.childElementCount > 1) detail.lastElementChild.remove();
    detail.append(...content);
  }

  detail.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  return { node, open, refresh, isOpen: () => !detail.hidden };
}
