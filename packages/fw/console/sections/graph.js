import { say } from "../parts/act.js";
import { field, h, none } from "../parts/elements.js";
import { visibleGraph } from "../parts/graph-view.js";
import { trafficOf, trafficWindow } from "../parts/graph-traffic.js";
import { editorLink } from "../parts/editor.js";
import { events, model } from "../parts/live.js";

/** The open packages, which stay open when the user leaves the section. */
const opened = new Set();
let isFirst = true;

/** Creates the graph of the architecture and its tools. `trace` is the id of a trace whose path to highlight. */
export function graphSection(trace) {
  const { diagram } = model;
  const packages = [...new Set(diagram.nodes.flatMap((node) => node.package ?? []))];
  // Open a single package, because the graph would otherwise consist of one box.
  if (isFirst && packages.length === 1) opened.add(packages[0]);
  isFirst = false;
  const hidden = new Set();
  const search = h("input", { type: "search", placeholder: "name, route, index", oninput: () => draw() });
  const path = h("input", {
    type: "search",
    placeholder: "id of a request or trace",
    value: trace,
    oninput: () => mark(),
  });
  const openAll = h("button", { onclick: toggleAll }, areAllOpen() ? "Close all" : "Open all");
  const area = h("div", { class: "card picture" }, none("Loading the graph."));
  let picture;

  function draw() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const graph = visibleGraph(diagram, { opened, hidden, words });
    openAll.textContent = areAllOpen() ? "Close all" : "Open all";
    picture.show(graph).then(mark, (error) => say(error.message));
  }

  function mark() {
    if (!picture) return;
    const since = Date.now() - trafficWindow;
    const recent = events.filter(({ at }) => at >= since);
    picture.mark(trafficOf(recent, diagram.edges), pathOf(path.value.trim().toLowerCase()));
  }

  /** Returns the ids of the arrows that a trace has used. */
  function pathOf(id) {
    if (id.length < 4) return new Set();
    const request = events.find((event) => event.kind === "request" && event.id === id);
    const own = events.filter((event) => (request ? event.trace === request.trace : event.trace?.startsWith(id)));
    return new Set(trafficOf(own, diagram.edges).keys());
  }

  function toggle(name) {
    if (!opened.delete(name)) opened.add(name);
    draw();
  }

  async function load() {
    if (picture) return mark();
    // Load the layout on demand, because only this section needs it.
    const { graphPicture } = await import("../parts/graph.js");
    picture = graphPicture({ toggle, linkOf: editorLink });
    area.replaceChildren(picture.node);
    draw();
  }

  function areAllOpen() {
    return packages.every((name) => opened.has(name));
  }

  function toggleAll() {
    const wereOpen = areAllOpen();
    opened.clear();
    for (const name of wereOpen ? [] : packages) opened.add(name);
    draw();
  }

  const kinds = [...new Set(diagram.nodes.map(({ kind }) => kind))];
  const nodes = [
    h("div", { class: "tools" }, field("Search", search, { class: "wide" }), field("Trace", path)),
    h(
      "div",
      { class: "row", role: "group", ariaLabel: "Kinds" },
      kinds.map((kind) => kindBox(kind, hidden, draw)),
    ),
    h(
      "div",
      { class: "row graph-buttons" },
      openAll,
      h("button", { onclick: () => picture?.zoom(1.25), ariaLabel: "Zoom in" }, "+"),
      h("button", { onclick: () => picture?.zoom(0.8), ariaLabel: "Zoom out" }, "−"),
      h("button", { onclick: () => picture?.fit() }, "Fit"),
      h("span", { class: "muted" }, "Drag to move, scroll to zoom. Numbers count the last minute."),
    ),
    area,
  ];
  return { nodes, load };
}

function kindBox(kind, hidden, draw) {
  const onchange = ({ target }) => {
    if (target.checked) hidden.delete(kind);
    else hidden.add(kind);
    draw();
  };
  return h(
    "label",
    { class: "check" },
    h("input", { type: "checkbox", checked: true, onchange }),
    kind === "app" ? "service" : kind,
  );
}
