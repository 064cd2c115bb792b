/**
 * The script of live pages. It follows the page at its address and updates the document to each new version. Elements
 * in both versions remain, which preserves focus, selection, scroll positions and typed text. It uses no inline code,
 * so a site's content security policy can permit it.
 */
export const liveScript = `(() => {
const script = document.currentScript;
const { url, flash } = script.dataset;
let shown = script.dataset.shown;
window.fwLive?.abort();
const ending = (window.fwLive = new AbortController());
let stream = new AbortController();
let failures = 0;

/** Statuses that mean that the address shows another page now. */
const gone = new Set([401, 403, 404, 405, 410]);

ending.signal.addEventListener("abort", () => stream.abort());

/** False once other code has replaced this page, as htmx does for hx-boost links. */
function isShown() {
  return script.isConnected && !ending.signal.aborted;
}

// Browsers limit connections to one server, so a hidden page closes its own.
document.addEventListener("visibilitychange", () => document.hidden && stream.abort(), { signal: ending.signal });

async function follow() {
  while (isShown()) {
    if (document.hidden) await new Promise((seen) => document.addEventListener("visibilitychange", seen, { once: true }));
    if (!isShown()) return;
    stream = new AbortController();
    try {
      const headers = { "FW-Live": flash ? shown + "." + flash : shown };
      const response = await fetch(url, { headers, signal: stream.signal, cache: "no-store", redirect: "manual" });
      if (response.type === "opaqueredirect" || gone.has(response.status)) return location.reload();
      if (response.headers.get("content-type")?.startsWith("text/event-stream")) await read(response.body);
      else failures++;
    } catch {
      failures++;
    }
    if (!document.hidden) await pause();
  }
}

/** Waits before the next attempt; the random part spreads out the browsers of a restarted service. */
function pause() {
  const longest = Math.min(200 * 2 ** failures, 10_000);
  return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
}

async function read(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    failures = 0;
    text += value;
    const events = text.split("\\n\\n");
    text = events.pop();
    for (const event of events) take(event);
  }
}

function take(event) {
  if (!isShown()) return ending.abort();
  const fields = Object.fromEntries(event.split("\\n").map((line) => line.split(/: (.*)/s)));
  if (fields.event === "reload") return location.reload();
  if (fields.data === undefined) return;
  show(new DOMParser().parseFromString(JSON.parse(fields.data), "text/html"));
  shown = fields.id;
}

function show(next) {
  const active = document.activeElement;
  const selection = active && "selectionStart" in active ? [active.selectionStart, active.selectionEnd] : undefined;
  if (document.title !== next.title) document.title = next.title;
  copyAttributes(document.body, next.body);
  changeChildren(document.body, next.body);
  if (active && active !== document.activeElement && active.isConnected) {
    active.focus({ preventScroll: true });
    if (selection && selection[0] !== null) active.setSelectionRange(...selection);
  }
  window.htmx?.process(document.body);
  document.dispatchEvent(new CustomEvent("fw:live"));
}

/** True for nodes that are not part of the page: fw's own, and those that the page wants to keep. */
function isKept(node) {
  return node === script || (node.nodeType === 1 && node.matches("[data-fw-keep], #fw-dev-bar, [data-fw-build]"));
}

function changeChildren(parent, next) {
  const old = [...parent.childNodes].filter((node) => !isKept(node));
  const wanted = [...next.childNodes].filter((node) => !isKept(node));
  const matches = matchesOf(old, wanted);
  const used = new Set(matches);
  for (const node of old) if (!used.has(node)) node.remove();
  let cursor = after(null);
  function after(node) {
    let next = node === null ? parent.firstChild : node.nextSibling;
    while (next !== null && isKept(next)) next = next.nextSibling;
    return next;
  }
  for (const [i, node] of wanted.entries()) {
    const match = matches[i];
    if (match === undefined) {
      parent.insertBefore(document.importNode(node, true), cursor);
      continue;
    }
    // The focused element stays in place, and others move around it.
    while (cursor !== null && match !== cursor && match.contains(document.activeElement)) {
      const moved = cursor;
      cursor = after(cursor);
      parent.append(moved);
    }
    if (match === cursor) cursor = after(cursor);
    else parent.insertBefore(match, cursor);
    change(match, node);
  }
}

/**
 * Finds the old node to keep for each new one: with the same id, otherwise the same content, otherwise the same name.
 */
function matchesOf(old, wanted) {
  const matches = new Array(wanted.length);
  const free = new Set(old);
  for (const key of [idOf, contentOf, nameOf]) {
    const byKey = new Map();
    for (const node of free) {
      const name = key(node);
      if (name !== undefined) byKey.set(name, [...(byKey.get(name) ?? []), node]);
    }
    for (const [i, node] of wanted.entries()) {
      const name = matches[i] === undefined ? key(node) : undefined;
      const match = name === undefined ? undefined : byKey.get(name)?.shift();
      if (match === undefined) continue;
      matches[i] = match;
      free.delete(match);
    }
  }
  return matches;
}

/** Reads attributes, because a field named id would replace the property of its form. */
function idOf(node) {
  if (node.nodeType !== 1) return undefined;
  const get = (name) => node.getAttribute(name) ?? "";
  const isField = /^(INPUT|TEXTAREA|SELECT|BUTTON)$/.test(node.nodeName);
  const field = isField && get("name") !== "" ? [get("type"), get("name"), /^(radio|checkbox)$/.test(get("type")) ? get("value") : ""].join(" ") : "";
  const id = get("id") || get("data-key") || field;
  return id === "" ? undefined : node.nodeName + " " + id;
}

function contentOf(node) {
  return node.nodeType === 1 ? node.outerHTML : undefined;
}

/** An element with an id never matches a different one. */
function nameOf(node) {
  return idOf(node) === undefined ? node.nodeName : undefined;
}

function change(node, next) {
  if (node.nodeType !== 1) {
    if (node.nodeValue !== next.nodeValue) node.nodeValue = next.nodeValue;
    return;
  }
  copyAttributes(node, next);
  // Typed text is not an attribute or child, so it stays; a field without any shows the new default.
  if (!node.isEqualNode(next)) changeChildren(node, next);
}

function copyAttributes(node, next) {
  // setAttribute refuses names such as @click, which parsers accept.
  for (const attribute of next.attributes)
    if (node.getAttribute(attribute.name) !== attribute.value) node.setAttributeNode(attribute.cloneNode());
  for (const { name } of [...node.attributes]) {
    const isOpened = name === "open" && /^(DETAILS|DIALOG)$/.test(node.nodeName);
    if (!next.hasAttribute(name) && !isOpened) node.removeAttribute(name);
  }
}

void follow();
})();
`;
