import { h, table } from "./elements.js";
import { number } from "./format.js";
import { events } from "./live.js";

/** Rows that a list shows before it is asked for more. */
const shownRows = 200;

/** A list of events that grows at its top. */
export function eventList({ kind, matches, row, caption, heads, nothing }) {
  let shown = shownRows;
  const body = table(caption, heads, []);
  const status = h("p", { class: "muted" });
  const more = h("button", { onclick: () => ((shown += 1000), rebuild()) }, "Show more");
  const foot = h("div", { class: "row" }, status, more);
  let matching = 0;

  function rebuild() {
    const found = [];
    matching = 0;
    for (let i = events.length - 1; i >= 0; i--) {
      const event = events[i];
      if (event.kind !== kind || !matches(event)) continue;
      matching += 1;
      if (found.length < shown) found.push(row(event));
    }
    body.rows.replaceChildren(...found);
    describe();
  }

  function describe() {
    const rows = body.rows.childElementCount;
    body.hidden = rows === 0;
    more.hidden = rows >= matching;
    status.textContent =
      matching === 0 ? nothing() : rows < matching ? `The newest ${number(rows)} of ${number(matching)}` : "";
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

/** A filter of which every word must be somewhere in the event. */
export function words(input) {
  const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  return (event) => {
    if (wanted.length === 0) return true;
    event.text ??= JSON.stringify(Object.values(event)).toLowerCase();
    return wanted.every((word) => event.text.includes(word));
  };
}
