/**
 * A browser script that moves the dev bar to a corner where it covers no text, image or control of the page. If no
 * corner is free, the bar becomes a strip at the edge, which opens under the pointer. Without the script, the bar stays
 * where its style puts it. An application's rules for `#fw-dev-bar` win.
 */
export const moveAsideScript: string = `
const corners = ["", "bottom-right", "top-right", "top-left", "edge", "edge-right"];
const media = "img, svg, video, canvas, iframe, button, input, select, textarea, summary, label";
/** The spacing of the points to probe for elements, in pixels: finer than words and lines. */
const [columns, rows] = [20, 9];

function isFixed(element) {
  for (let each = element; each && each !== document.body; each = each.parentElement)
    if (/fixed|sticky/.test(getComputedStyle(each).position)) return true;
  return false;
}

function overlaps(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** True if the element's own text, not that of its descendants, is under the bar. */
function hasTextBelow(element, place) {
  return [...element.childNodes].some((node) => {
    if (node.nodeType !== Node.TEXT_NODE || node.data.trim() === "") return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].some((rect) => overlaps(rect, place));
  });
}

function steps(from, to, distance) {
  return Array.from({ length: Math.floor((to - from) / distance) + 1 }, (_, i) => from + i * distance).concat(to);
}

function coversAnything(bar) {
  const place = bar.getBoundingClientRect();
  const focused = document.activeElement;
  if (focused?.matches(":focus-visible") && overlaps(focused.getBoundingClientRect(), place)) return true;
  const points = steps(place.left + 1, place.right - 1, columns).flatMap((x) =>
    steps(place.top + 1, place.bottom - 1, rows).map((y) => [x, y]),
  );
  const elements = new Set(points.flatMap(([x, y]) => document.elementsFromPoint(x, y)));
  elements.delete(bar);
  return [...elements].some((each) => each.matches(media) || isFixed(each) || hasTextBelow(each, place));
}

function moveAside() {
  const bar = document.getElementById("fw-dev-bar");
  if (!bar || bar.matches(":hover, :focus-within")) return;
  const free = corners.find((corner) => ((bar.dataset.corner = corner), !coversAnything(bar)));
  bar.dataset.corner = free ?? "edge";
}

let isDue = false;
function moveSoon() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => ((isDue = false), moveAside()));
}

moveAside();
// Scripts may add content after the page has loaded.
new ResizeObserver(moveSoon).observe(document.body);
for (const event of ["load", "resize", "scroll", "scrollend", "focusin", "htmx:afterSettle"]) addEventListener(event, moveSoon, true);
`;
