// Functions that browser tests run inside the page.

/** Returns the accessible name of the focused element. */
function focusedName() {
  const element = document.activeElement;
  return element?.labels?.[0]?.textContent ?? element?.textContent ?? "";
}

/**
 * Returns the texts and fields of the page with a contrast below 4.5 to 1. Throws if it checks hardly any, because the
 * check must then be broken.
 */
function faintTexts() {
  const texts = [...document.querySelectorAll("body *")].filter(
    (each) => hasText(each) || each.matches("input:not([type=hidden])"),
  );
  if (texts.length < 15) throw new Error(`only ${texts.length} texts`);
  return texts.filter((each) => contrast(each) < 4.5).map((each) => each.outerHTML.slice(0, 80));
}

function hasText(element) {
  return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== "");
}

function contrast(element) {
  const [a, b] = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function ground(element) {
  if (element === null) return [255, 255, 255];
  const color = channels(getComputedStyle(element).backgroundColor);
  return color[3] === 0 ? ground(element.parentElement) : color;
}

function channels(color) {
  return (color.match(/[\d.]+/g) ?? []).map(Number);
}

function luminance([r = 0, g = 0, b = 0]) {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function linear(value) {
  return value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
}

/** Fills the page with links, so that some are under the fixed bar at the bottom. */
function addLinks(count) {
  for (let i = 0; i < count; i++)
    document.body.insertAdjacentHTML("beforeend", `<p><a href="/x${i}">link ${i}</a></p>`);
}

/** Returns the position of the focused element relative to the dev bar. */
function focusAndBar() {
  const [bar, focused] = [document.querySelector("#fw-dev-bar"), document.activeElement];
  if (focused === bar) return "the bar itself";
  const [a, b] = [bar.getBoundingClientRect(), focused.getBoundingClientRect()];
  const apart = b.bottom <= a.top || b.top >= a.bottom || b.right <= a.left || b.left >= a.right;
  return apart ? "beside the bar" : `${focused.textContent} is behind the bar`;
}

/** Returns the style of the bar's first button. */
function barButton() {
  const { color, marginLeft } = getComputedStyle(
    document.querySelector("#fw-dev-bar").shadowRoot.querySelector("button"),
  );
  return { color, marginLeft };
}

/** Returns the position of the page's last own element, and the height of the page. */
function layout() {
  return [document.querySelector("#end").getBoundingClientRect().toJSON(), document.documentElement.scrollHeight];
}

/** Inserts the body of another page, like htmx does for boosted links. */
async function swapBody(path) {
  const html = await (await fetch(path)).text();
  document.body.innerHTML = new DOMParser().parseFromString(html, "text/html").body.innerHTML;
}

/** Signs in and out with a script. Returns the responses and the cookies that scripts can see. */
async function signInAndOut() {
  const headers = { "Content-Type": "application/json" };
  const began = await fetch("/_fw/api/session", {
    method: "POST",
    headers,
    body: JSON.stringify({ dev_user: "alice" }),
  });
  const { user } = await began.json();
  const inside = (await fetch("/berth")).status;
  const ended = (await fetch("/_fw/api/session", { method: "DELETE" })).status;
  return [began.status, user.email, document.cookie, inside, ended, (await fetch("/berth")).status];
}

/** Returns the number of lines of text that the dev bar covers. */
function linesBelowBar() {
  const bar = document.querySelector("#fw-dev-bar").getBoundingClientRect();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let lines = 0;
  while (walker.nextNode()) {
    if (walker.currentNode.parentElement.matches("script, style")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const rect of range.getClientRects())
      if (rect.left < bar.right && bar.left < rect.right && rect.top < bar.bottom && bar.top < rect.bottom) lines += 1;
  }
  return lines;
}

Object.assign(globalThis, {
  linesBelowBar,
  focusedName,
  faintTexts,
  addLinks,
  focusAndBar,
  barButton,
  layout,
  swapBody,
  signInAndOut,
});
