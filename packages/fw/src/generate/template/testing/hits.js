// Runs in the browser: renders each case in its own frame, triggers every event and link, and reports the cases that
// ran a payload.
const evil = "evil.test";

globalThis.runCases = async (cases) => {
  const frames = cases.map((html) => open(html));
  await Promise.all(frames.map(({ loaded }) => loaded));
  for (const { document } of frames) touch(document);
  // Wait two turns, because a triggered element may load a script.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const hits = frames.map(({ frame, hits, document }) => {
    const found = [...hits, ...standing(document)];
    frame.remove();
    return found;
  });
  return hits;
};

function open(html) {
  const frame = document.createElement("iframe");
  const hits = [];
  document.body.append(frame);
  const view = frame.contentWindow;
  const hit = (...values) => void hits.push(`ran ${values.join()}`);
  for (const name of ["hit", "alert", "confirm", "prompt", "print"]) view[name] = hit;
  const page = frame.contentDocument;
  const loaded = new Promise((resolve) => {
    frame.addEventListener("load", resolve, { once: true });
    setTimeout(resolve, 2_000);
  });
  page.open();
  page.write(`<!doctype html><base href="${location.href}"><body>${html}`);
  page.close();
  return { frame, hits, loaded, document: page };
}

const events = "mouseover mouseenter focus blur keydown input change toggle pointerdown".split(" ");

function touch(page) {
  page.addEventListener("submit", (event) => event.preventDefault());
  page.addEventListener("click", (event) => {
    const link = event.target.closest("a, area");
    const to = link?.href?.animVal ?? link?.href?.toString() ?? "";
    if (!/^javascript:/i.test(to)) event.preventDefault();
  });
  for (const element of page.body?.querySelectorAll("*") ?? []) {
    for (const kind of events) element.dispatchEvent(new Event(kind, { bubbles: true, cancelable: true }));
    element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
}

const urls = "href xlink:href src action formaction data".split(" ");
const markup = "hx-get hx-post data-hx-get sse-connect ws-connect formaction".split(" ");

/** Finds attributes that would run code, or send a token to another origin, when used. */
function standing(page) {
  const hits = [];
  if (page.defaultView && page.defaultView.getComputedStyle(page.documentElement).getPropertyValue("--hit") !== "")
    hits.push("style sheet");
  for (const element of page.querySelectorAll("*")) {
    const read = (name) => element.getAttribute(name) ?? "";
    for (const name of urls) if (resolve(read(name))?.protocol === "javascript:") hits.push(`${name} runs code`);
    for (const name of markup) if (resolve(read(name))?.hostname === evil) hits.push(`${name} of another origin`);
    if (/^(?:animate|set)$/.test(element.localName) && /href/i.test(read("attributeName"))) {
      const values = [...read("values").split(";"), read("to"), read("from")];
      if (values.some((value) => resolve(value)?.protocol === "javascript:")) hits.push("animation runs code");
    }
    if (
      element.localName === "form" &&
      resolve(read("action"))?.hostname === evil &&
      element.querySelector("[value=tok]")
    )
      hits.push("token of another origin");
  }
  return hits;
}

function resolve(value) {
  return value === "" ? null : URL.parse(value, location.href);
}
