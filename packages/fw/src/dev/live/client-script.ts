/**
 * The dev server's script in browsers: reloads the page after changes and shows problems. Inserts text only, never
 * markup.
 */
export const clientScript = `
const script = import.meta.url;
const waiting = document.documentElement.hasAttribute("data-fw-waiting");
/** The build and style numbers of this page; 0 for the page that explains why no application is running. */
const page = document.querySelector("script[data-fw-build]")?.dataset;
const pageBuild = Number(page?.fwBuild ?? 0);
let styles = Number(page?.fwStyles ?? 0);
let shownState;
let dismissed = "";
let source;

function connect() {
  source?.close();
  source = new EventSource(new URL("events", script));
  source.onmessage = (message) => update(JSON.parse(message.data));
}

// Browsers limit the connections to one server, so a hidden page closes its own.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) source?.close();
  else connect();
});
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", (event) => { if (event.persisted) connect(); });

/**
 * Attaches the shadow root of a dev bar that a script has inserted, as htmx does with a whole body: the bar's template
 * is then still inert.
 */
function openBar() {
  const template = document.querySelector("#fw-dev-bar > template[shadowrootmode]");
  const host = template?.parentElement;
  if (!host) return;
  (host.shadowRoot ?? host.attachShadow({ mode: "open" })).replaceChildren(template.content);
  template.remove();
}
new MutationObserver(openBar).observe(document.documentElement, { childList: true, subtree: true });
openBar();

function update(state) {
  shownState = state;
  if (state.errors.length === 0 && state.build > pageBuild) return reload(state.build);
  if (state.styles !== styles) refreshStyles();
  styles = state.styles;
  render();
}

/** Reloads once per build number: a page from a cache must not reload forever. */
function reload(build) {
  const key = "fw-dev-reloaded " + location.pathname;
  if (!waiting && sessionStorage.getItem(key) === String(build)) return;
  sessionStorage.setItem(key, String(build));
  location.reload();
}

function refreshStyles() {
  for (const link of document.querySelectorAll('link[rel~="stylesheet"][href]')) {
    const url = new URL(link.href);
    if (url.origin !== location.origin) continue;
    url.searchParams.set("fw-dev", String(Date.now()));
    const next = link.cloneNode();
    next.href = url.href;
    next.onload = next.onerror = () => link.remove();
    link.after(next);
  }
}

const style = \`
:host { all: initial; }
section { position: fixed; z-index: 2147483647; box-sizing: border-box; font: 14px/1.5 ui-sans-serif, system-ui, sans-serif; color: #e8e6e3; }
section.errors { inset: 0; overflow: auto; padding: 4vh 4vw; background: rgb(12 13 16 / 0.88); }
section.warnings { right: 16px; bottom: 52px; max-width: min(560px, calc(100vw - 32px)); max-height: 60vh; overflow: auto; }
.card { position: relative; max-width: 960px; margin: 0 auto 16px; padding: 20px 24px; border-radius: 10px; background: #1b1d22; border-top: 4px solid #ff6b5e; box-shadow: 0 12px 40px rgb(0 0 0 / 0.5); }
.warnings .card { border-top-color: #f2b84b; }
h1 { margin: 0 72px 12px 0; font-size: 16px; font-weight: 600; }
article + article { margin-top: 20px; padding-top: 20px; border-top: 1px solid #32353c; }
.message { white-space: pre-line; }
.at { font-family: ui-monospace, monospace; font-size: 12.5px; color: #9aa4b2; overflow-wrap: anywhere; }
a.at { color: #8ab4ff; }
.gutter { color: #7d8590; }
.comment { color: #8b949e; }
.string { color: #a5d6ff; }
.keyword { color: #ff9db0; }
.number { color: #f2cc8f; }
.marked { text-decoration: underline 2px #ff6b5e; text-underline-offset: 3px; background: rgb(255 107 94 / 0.16); }
p { margin: 4px 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.code { color: #ff9d94; }
.warnings .code { color: #f2b84b; }
pre { position: relative; margin: 10px 0 0; padding: 12px; overflow: auto; border-radius: 6px; background: #121317; font: 12.5px/1.5 ui-monospace, monospace; tab-size: 2; }
.hint { color: #8fd3a8; }
button { position: absolute; top: 14px; right: 14px; border: 0; border-radius: 6px; padding: 4px 10px; background: #32353c; color: inherit; font: inherit; cursor: pointer; }
button:focus-visible { outline: 2px solid #8ab4ff; }
footer { color: #9aa4b2; font-size: 12.5px; margin-top: 16px; }
\`;

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function article(problem) {
  const node = element("article");
  if (problem.at) {
    const place = element(problem.href ? "a" : "div", "at", problem.at);
    if (problem.href) Object.assign(place, { href: problem.href, title: "Open in the editor" });
    node.append(place);
  }
  const line = element("p", "message", problem.message + " ");
  line.append(element("span", "code", "(" + problem.code + ")"));
  node.append(line);
  if (problem.hint) node.append(element("p", "hint", problem.hint));
  if (problem.frame) node.append(frame(problem.frame));
  return node;
}

/** Matches tokens of TypeScript and HTML; other text is not colored. */
const tokens = /(\\/\\/.*|<!--.*?-->)|("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`[^\`]*\`)|\\b(abstract|as|async|await|break|case|catch|class|const|continue|default|do|else|export|extends|false|finally|for|from|function|if|implements|import|in|instanceof|interface|keyof|let|new|null|of|readonly|return|satisfies|static|super|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield)\\b|\\b(\\d[\\w.]*)\\b/g;
const colors = ["comment", "string", "keyword", "number"];

/** Splits a line of the frame into its number and its code. */
function partsOf(line) {
  const [, gutter, code] = /^( *\\d* \\| )(.*)$/.exec(line) ?? [undefined, "", line];
  return { gutter, code, isMark: gutter !== "" && /^\\s*\\^+$/.test(code) };
}

/**
 * Colors the source. Underlines the part of a line that the carets below it mark, because tabs and wide characters
 * would misplace the carets.
 */
function frame(text) {
  const node = element("pre");
  node.tabIndex = 0;
  const lines = text.split("\\n").map(partsOf);
  for (const [i, { gutter, code, isMark }] of lines.entries()) {
    if (isMark) continue;
    if (gutter) node.append(element("span", "gutter", gutter));
    const mark = lines[i + 1]?.isMark ? lines[i + 1].code : "";
    node.append(...(gutter ? colored(code, mark.indexOf("^"), mark.length) : [code]), "\\n");
  }
  return node;
}

/** Colors code, and underlines a part of it. */
function colored(code, from, to) {
  const nodes = [];
  let at = 0;
  for (const [text, color] of colorsOf(code)) {
    for (const part of [text.slice(0, Math.max(0, from - at)), text.slice(Math.max(0, from - at), Math.max(0, to - at)), text.slice(Math.max(0, to - at))]) {
      const isMarked = from >= 0 && at >= from && at < to;
      if (part !== "") nodes.push(color || isMarked ? element("span", [color, isMarked && "marked"].filter(Boolean).join(" "), part) : part);
      at += part.length;
    }
  }
  return nodes;
}

/** Splits code into tokens, each with its color; "" for none. */
function colorsOf(code) {
  const parts = [];
  let end = 0;
  for (const match of code.matchAll(tokens)) {
    parts.push([code.slice(end, match.index), ""], [match[0], colors[match.slice(1).findIndex(Boolean)]]);
    end = match.index + match[0].length;
  }
  return [...parts, [code.slice(end), ""]];
}

/** Counts the problems by severity. Codes such as ts2322 are type errors; all others are warnings. */
function titleOf(problems) {
  if (shownState.errors.length > 0) return counted(problems.length, "problem");
  const typeErrors = problems.filter(({ code }) => /^ts\\d/.test(code)).length;
  const warnings = problems.length - typeErrors;
  return [typeErrors && counted(typeErrors, "type error"), warnings && counted(warnings, "warning")].filter(Boolean).join(", ");
}

function counted(count, noun) {
  return count + " " + noun + (count === 1 ? "" : "s");
}

/** Scrolls the marked part of the code, which may be far to the right, into view. */
function showMark(code) {
  const mark = code.querySelector(".marked");
  const room = 24;
  if (mark) code.scrollLeft = Math.max(0, Math.min(mark.offsetLeft - room, mark.offsetLeft + mark.offsetWidth + room - code.clientWidth));
}

function render() {
  document.getElementById("fw-dev-overlay")?.remove();
  const kind = shownState.errors.length > 0 ? "errors" : "warnings";
  const problems = shownState[kind];
  const key = kind + JSON.stringify(problems);
  if (problems.length === 0 || key === dismissed) return;
  const host = element("div");
  host.id = "fw-dev-overlay";
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const section = element("section", kind);
  section.setAttribute("role", kind === "errors" ? "alert" : "status");
  const card = element("div", "card");
  card.append(element("h1", "", titleOf(problems)));
  for (const problem of problems.slice(0, 20)) card.append(article(problem));
  if (kind === "errors") card.append(element("footer", "", waiting ? "Save a fix to open the application." : "The last good version keeps running. Save a fix to continue, or press Escape to hide this."));
  if (!waiting) {
    const close = element("button", "", "Close");
    close.addEventListener("click", () => { dismissed = key; host.remove(); });
    card.append(close);
  }
  section.append(card);
  root.append(section);
  document.body.append(host);
  for (const code of card.querySelectorAll("pre")) showMark(code);
}

addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  document.getElementById("fw-dev-overlay")?.shadowRoot.querySelector("button")?.click();
});

connect();
`;
