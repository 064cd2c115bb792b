import { h, table } from "./elements.js";
import { number } from "./format.js";
import { events } from "./live.js";

/** The number of rows to show before the user asks for more. */
const shownRows = 200;

/**
 * Creates a list of events, newest first. Inserts new events at the top; while `isHeld()` is true or the page is
 * scrolled, they wait behind a button, so that nothing moves while the user reads. `layout` adapts the table to narrow
 * layouts.
 */
export function eventList({
  kind,
  layout,
  matches,
  row,
  caption,
  heads,
  nothing,
  isHeld = () => false,
  note = () => "",
}) {
  let shown = shownRows;
  const body = layout(table(caption, heads, []));
  const status = h("p", { class: "muted" });
  const waiting = [];
  const release = h("button", { hidden: true, onclick: () => (scrollTop(), insert()) });
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
    waiting.length = 0;
    describe();
  }

  function describe() {
    release.hidden = waiting.length === 0;
    release.textContent = `Show ${number(waiting.length)} new`;
    const rowCount = body.rows.childElementCount;
    body.hidden = rowCount === 0;
    more.hidden = rowCount >= matching;
    const part = rowCount < matching ? `The newest ${number(rowCount)} of ${number(matching)}` : "";
    status.textContent = [matching === 0 ? nothing() : part, note()].filter(Boolean).join(" · ");
  }

  function added(fresh) {
    const own = fresh.filter((event) => event.kind === kind && matches(event));
    waiting.push(...own);
    if (own.length === 0 || isHeld() || isScrolled()) describe();
    else insert();
  }

  /** Shows the waiting events. */
  function insert() {
    const own = waiting.splice(0);
    matching += own.length;
    body.rows.prepend(...own.slice(-shown).toReversed().map(row));
    while (body.rows.childElementCount > shown) body.rows.lastElementChild.remove();
    describe();
  }

  rebuild();
  return { node: h("div", {}, h("div", { class: "news" }, release), body, foot), rebuild, added, insert };
}

/** True if the user has scrolled the content, which on narrow screens scrolls with the page. */
function isScrolled() {
  return document.getElementById("main").scrollTop > 0 || scrollY > document.getElementById("main").offsetTop;
}

function scrollTop() {
  document.getElementById("main").scrollTop = 0;
  scrollTo(0, 0);
}

/** Returns a filter for events that contain every word of the input. */
export function containsWords(input) {
  const needles = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  return (event) => {
    if (needles.length === 0) return true;
    // Leave out the time: rows show the time of day, and the digits of the milliseconds since 1970 would match by
    // chance.
    event.text ??= JSON.stringify(Object.values({ ...event, at: "" })).toLowerCase();
    return needles.every((word) => event.text.includes(word));
  };
}
