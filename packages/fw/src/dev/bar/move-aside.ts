/**
 * Moves the dev bar to a corner where it covers no fixed navigation, no element with the focus of the keyboard and, at
 * the end of the page, no control. A browser script; without it the bar stays where its style puts it. An application's
 * rules for `#fw-dev-bar` win.
 */
export const moveAsideScript: string = `
const corners = ["", "bottom-right", "top-right", "top-left"];
const controls = "a, button, input, select, textarea, summary, label";

function isFixed(element) {
  for (let each = element; each && each !== document.body; each = each.parentElement)
    if (/fixed|sticky/.test(getComputedStyle(each).position)) return true;
  return false;
}

function coversFocus(bar) {
  const focused = document.activeElement;
  if (!focused?.matches(":focus-visible")) return false;
  const [a, b] = [bar.getBoundingClientRect(), focused.getBoundingClientRect()];
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function coversAnything(bar) {
  if (coversFocus(bar)) return true;
  const { left, right, top, bottom } = bar.getBoundingClientRect();
  const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
  const points = [left + 1, (left + right) / 2, right - 1].flatMap((x) => [top + 1, bottom - 1].map((y) => [x, y]));
  return points
    .flatMap(([x, y]) => document.elementsFromPoint(x, y))
    .filter((element) => element !== bar)
    .some((element) => isFixed(element) || (isAtEnd && element.closest(controls)));
}

function moveAside() {
  const bar = document.getElementById("fw-dev-bar");
  if (!bar || bar.matches(":hover, :focus-within")) return;
  const free = corners.find((corner) => ((bar.dataset.corner = corner), !coversAnything(bar)));
  bar.dataset.corner = free ?? "";
}

moveAside();
for (const event of ["load", "resize", "scrollend", "focusin", "htmx:afterSettle"]) addEventListener(event, moveAside);
`;
