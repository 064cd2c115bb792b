import { h, table } from "./elements.js";
import { number } from "./format.js";
import { events } from "./live.js";

/** Rows to show before the user asks for more. */
const shownRows = 200;

/** A list of events, newest first. New events are inserted at the top. */
export function eventList({ kind, matches, row, caption, heads, nothing }) {
  let shown = shownRows;
  const body = table(caption, heads, []);
  const status = h("p", { class: "muted" });
  const more = h("button", { onclick: () => ((shown += 1000), rebuild()) }, "Show more");
  const foot = h("div", { class: "row" }, status, more);
  let matching = 0;

  function rebuild() {
    const rows = [];
    matching = 0;
    for (let i = events.length - 1; i >= 0; i--) {
      const event = events[i];
      if (event.kind !== kind || !matches(event)) continue;
      matching += 1;
      if (rows.length < shown) rows.push(row(event));
    }
    body.rows.replaceChildren(...rows);
    describe();
  }

  function describe() {
    const rowCount = body.rows.childElementCount;
    body.hidden = rowCount === 0;
    more.hidden = rowCount >= matching;
    status.textContent =
      matching === 0 ? nothing() : rowCount < matching ? `The newest ${number(rowCount)} of ${number(matching)}` : "";
  }

  function added(fresh) {
    const own = fresh.filter((event) => event.kind === kind && matches(event));
    if (own.length === 0) return;
    matching += own.length;
    body.rows.prepend(...own.slice(-shown).toReversed().map(row));
    while (body.rows.childElementCount > shown) body.rows.lastElementChild.remove();
    describe();
  }

  rebuild();
  return { node: h("div", {}, body, foot), rebuild, added };
}

/** Returns a filter for events that contain every word of the input. */
export function containsWords(input) {
  const needles = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  return (event) => {
    if (needles.length === 0) return true;
    event.text ??= JSON.stringify(Object.values(event)).toLowerCase();
    return needles.every((word) => event.text.includes(word));
  };
}
