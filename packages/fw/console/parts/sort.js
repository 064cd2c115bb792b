import { h } from "./elements.js";

/**
 * Creates heads of columns that sort a table when clicked, and a select for narrow layouts, which have no heads.
 * `measures` has a function for each column that returns the value to sort by; larger values come first.
 */
export function sortableHeads(measures, first, onChange) {
  const select = h(
    "select",
    { onchange: () => change() },
    Object.keys(measures).map((name) => h("option", { value: name, selected: name === first }, name)),
  );
  const buttons = new Map();

  function change() {
    mark();
    onChange();
  }

  /** Marks the chosen column, once its head is part of a table. */
  function mark() {
    for (const [name, button] of buttons)
      button.closest("th")?.setAttribute("aria-sort", name === select.value ? "descending" : "none");
  }

  function head(name) {
    const button = h("button", { class: "link", onclick: () => ((select.value = name), change()) }, name);
    buttons.set(name, button);
    if (name === first) queueMicrotask(mark);
    return button;
  }

  const compare = (one, other) => measures[select.value](other) - measures[select.value](one);
  return { select, head, compare };
}
