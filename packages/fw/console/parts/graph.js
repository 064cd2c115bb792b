// A picture of boxes and arrows that the user can move, zoom and click.

import { number, shortened } from "./format.js";

const lineHeight = 18;
const lineCharacters = 48;
const padding = 10;
const zoomStep = 1.25;
const [smallest, largest] = [0.02, 4];

/** Creates an SVG element. */
function s(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children.flat().filter(Boolean));
  return node;
}

/**
 * Creates the picture. `show` draws the result of `visibleGraph` and resolves once it is visible; `mark` colors the
 * arrows by traffic and trace. A click on a closed package calls `toggle`; any other box links to its declaration with
 * `linkOf`.
 */
export function graphPicture({ toggle, linkOf }) {
  const content = s("g");
  const svg = s("svg", { class: "graph", role: "group", "aria-label": "Architecture" }, tips(), content);
  const view = { x: 0, y: 0, scale: 1 };
  const place = placer();
  let size = { width: 1, height: 1 };
  let arrows = [];

  const apply = () => content.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);

  function zoom(factor, at = { x: svg.clientWidth / 2, y: svg.clientHeight / 2 }) {
    const scale = Math.min(largest, Math.max(smallest, view.scale * factor));
    view.x = at.x - ((at.x - view.x) / view.scale) * scale;
    view.y = at.y - ((at.y - view.y) / view.scale) * scale;
    view.scale = scale;
    apply();
  }

  function pan(x, y) {
    view.x += x;
    view.y += y;
    apply();
  }

  /** Scales the graph down to fit the picture, which becomes as high as the graph needs and the style allows. */
  function fit() {
    svg.style.height = `${size.height * Math.min(1, svg.clientWidth / size.width)}px`;
    const scale = Math.min(1, svg.clientWidth / size.width, svg.clientHeight / size.height);
    view.scale = Math.max(smallest, scale);
    view.x = Math.max(0, (svg.clientWidth - size.width * view.scale) / 2);
    view.y = Math.max(0, (svg.clientHeight - size.height * view.scale) / 2);
    apply();
  }

  async function show(graph) {
    svg.setAttribute("aria-busy", "true");
    const shown = graph.nodes.map(withShortLines);
    const placed = await place({ nodes: shown, edges: graph.edges, frame: frameOf(svg) });
    svg.removeAttribute("aria-busy");
    size = placed;
    const nodes = new Map(shown.map((node) => [node.id, node]));
    const edges = new Map(graph.edges.map((edge) => [edge.id, edge]));
    const focused = document.activeElement?.getAttribute?.("data-box");
    arrows = placed.arrows.map((arrow) => arrowOf(arrow, edges, placed.isDownwards));
    content.replaceChildren(
      ...placed.frames.map((frame) => groupOf(frame, toggle)),
      ...arrows.map(({ node }) => node),
      // Draw the numbers on top of every arrow.
      ...arrows.map(({ label }) => label),
      ...placed.boxes.map((box) => boxOf(box, nodes.get(box.id), { toggle, linkOf, graph })),
    );
    if (focused) content.querySelector(`[data-box="${CSS.escape(focused)}"]`)?.focus();
    // The element has its size once it is in the page.
    requestAnimationFrame(fit);
  }

  function mark(traffic, trace) {
    for (const { edge, node, title, label } of arrows) {
      const sums = edge.parts.map((part) => traffic.get(part)).filter(Boolean);
      const [count, failed] = ["count", "failed"].map((key) => sums.reduce((sum, each) => sum + each[key], 0));
      const isTraced = edge.parts.some((part) => trace.has(part));
      for (const { classList } of [node, label]) {
        classList.toggle("busy", count > 0);
        classList.toggle("failing", failed > 0);
        classList.toggle("traced", isTraced);
      }
      label.textContent = count === 0 ? "" : failed > 0 ? `${number(count)}, ${number(failed)} failed` : number(count);
      title.textContent = `${edge.from} → ${edge.to}${edge.labels.length === 0 ? "" : `: ${edge.labels.join("; ")}`}`;
    }
    svg.classList.toggle("tracing", trace.size > 0);
  }

  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(event.deltaY < 0 ? zoomStep : 1 / zoomStep, { x: event.offsetX, y: event.offsetY });
    },
    { passive: false },
  );
  dragged(svg, pan);
  return { node: svg, show, mark, fit, zoom, pan };
}

/** Returns the maximum size of the picture in pixels. */
function frameOf(svg) {
  return { width: svg.clientWidth, height: Number.parseFloat(getComputedStyle(svg).maxHeight) };
}

/**
 * Returns a function that computes the layout of a graph in a worker. A later call cancels an unfinished one, whose
 * promise then never settles.
 */
function placer() {
  let worker;
  return (graph) =>
    new Promise((resolve, reject) => {
      worker?.terminate();
      worker = new Worker(new URL("layout-worker.js", import.meta.url), { type: "module" });
      worker.addEventListener("message", ({ data }) => {
        worker.terminate();
        worker = undefined;
        resolve(data);
      });
      worker.addEventListener("error", ({ message }) => reject(new Error(`the graph could not be placed: ${message}`)));
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
      worker.postMessage(graph);
    });
}

/** Calls `pan` while the user drags the background. Ignores drags that start on a box. */
function dragged(svg, pan) {
  let from;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest("[data-box]")) return;
    from = event;
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!from) return;
    pan(event.clientX - from.clientX, event.clientY - from.clientY);
    from = event;
  });
  for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => (from = undefined));
}

/** Creates the arrowheads, one for each color. */
function tips() {
  const tip = (id) =>
    s(
      "marker",
      {
        id,
        viewBox: "0 0 8 8",
        refX: 8,
        refY: 4,
        markerWidth: 10,
        markerHeight: 10,
        markerUnits: "userSpaceOnUse",
        orient: "auto",
      },
      s("path", { d: "M0 0 8 4 0 8z" }),
    );
  return s("defs", {}, tip("tip"), tip("tip-busy"), tip("tip-failing"), tip("tip-traced"));
}

function groupOf({ group, x, y, width, height }, toggle) {
  const text = s("text", { x: x + 2, y: y - 5, class: "title" }, `− ${group}`);
  return s(
    "g",
    { class: "frame" },
    s("rect", { x, y, width, height, rx: 8 }),
    s("g", { ...button(() => toggle(group)), "data-box": `frame ${group}` }, text),
  );
}

/** Returns the attributes of an element that calls `act` on a click, Enter or Space. */
function button(act) {
  const onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  };
  return { role: "button", tabindex: 0, onclick: act, onkeydown };
}

/**
 * Shortens the lines of a box, because a long one would make the whole picture small. `whole` contains all of the text
 * if any line was shortened.
 */
function withShortLines(node) {
  const whole = [node.title, ...node.lines];
  const [title, ...lines] = whole.map((line) => shortened(line, lineCharacters));
  const isShort = whole.every((line) => line.length <= lineCharacters);
  return { ...node, title, lines, whole: isShort ? undefined : whole.join("\n") };
}

function boxOf({ x, y, width, height }, node, { toggle, linkOf, graph }) {
  const texts = [node.title, ...node.lines].map((line, i) =>
    s(
      "text",
      { x: x + padding, y: y + padding / 2 + (i + 1) * lineHeight - 5, class: i === 0 ? "title" : "" },
      `${line} `,
    ),
  );
  const parts = [s("rect", { x, y, width, height, rx: 6 }), ...texts];
  const isDim = graph.matches.size > 0 && !graph.matches.has(node.id);
  const attributes = { class: `box ${node.kind}${isDim ? " dim" : ""}`, "data-box": node.id };
  const href = node.at && linkOf(node.at);
  const hints = [node.whole, href && `Open ${node.at} in the editor`].filter(Boolean);
  const title = hints.length > 0 && s("title", {}, hints.join("\n"));
  if (node.kind === "package") return s("g", { ...attributes, ...button(() => toggle(node.package)) }, title, parts);
  return href ? s("a", { ...attributes, href }, title, parts) : s("g", attributes, title, parts);
}

function arrowOf({ from, to, points }, edges, isDownwards) {
  const edge = edges.get(`${from}\n${to}`);
  const title = s("title");
  const middle = points[points.length >> 1];
  const label = s("text", { class: "edge", x: middle.x, y: middle.y + 4, "text-anchor": "middle" });
  const path = s("path", { class: "edge", d: pathThrough(points, isDownwards) }, title);
  return { edge, title, label, node: path };
}

/**
 * Returns the path of a smooth curve through points, which starts and ends horizontally or, with `isDownwards`,
 * vertically.
 */
function pathThrough([first, ...rest], isDownwards) {
  let [{ x, y }, path] = [first, `M${first.x} ${first.y}`];
  for (const next of rest) {
    const middle = isDownwards ? (y + next.y) / 2 : (x + next.x) / 2;
    path += isDownwards
      ? `C${x} ${middle} ${next.x} ${middle} ${next.x} ${next.y}`
      : `C${middle} ${y} ${middle} ${next.y} ${next.x} ${next.y}`;
    ({ x, y } = next);
  }
  return path;
}
