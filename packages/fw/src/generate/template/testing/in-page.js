// Runs in the browser before the page: canaries, and functions that the test calls afterwards.
const canary = (...values) => console.log("EXECUTED", ...values);
Object.assign(globalThis, { alert: canary, confirm: canary, prompt: canary, print: canary });

/** Stores a value on the placement that contains the calling script or event handler. */
globalThis.use = (value) => {
  const at = document.currentScript ?? globalThis.event?.target;
  Object.assign(at?.closest(".case") ?? {}, { used: value });
};

const touches = "mouseover mouseenter mousemove focus blur keydown input change toggle pointerdown wheel scroll".split(
  " ",
);

/** Clicks, hovers over and focuses everything, without leaving the page through an ordinary link. */
globalThis.touchEverything = () => {
  addEventListener("submit", (event) => event.preventDefault());
  addEventListener("click", (event) => {
    const link = event.target.closest("a, area");
    const to = link?.getAttribute("href") ?? link?.getAttribute("xlink:href") ?? "";
    // oxlint-disable-next-line no-control-regex
    if (!/^[\u0000-\u0020]*javascript:/i.test(to)) event.preventDefault();
  });
  for (const element of document.querySelectorAll(".case *")) {
    for (const kind of touches) element.dispatchEvent(new Event(kind, { bubbles: true, cancelable: true }));
    element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
};

/** Returns the elements and attributes of every placement, URLs that could run code, and the values read back. */
globalThis.inspect = (read) => {
  const cases = [...document.querySelectorAll(".case")];
  return {
    skeletons: cases.map(skeleton),
    schemes: cases.flatMap((element) => [...element.querySelectorAll("*")].flatMap(unsafeURLs)),
    read: read === undefined ? [] : cases.map(new Function("element", `return ${read}`)),
  };
};

function skeleton(element) {
  const names = element.getAttributeNames().map((name) => ` ${name}`);
  return `<${element.localName}${names.join("")}>${[...element.children].map(skeleton).join("")}`;
}

const urlAttributes = ["href", "xlink:href", "src", "action", "formaction", "data", "poster", "to"];
const inert = /^(?:(?:https?|mailto|tel|sms|geo|ftp|xmpp|webcal|about):|data:image\/(?:png|gif|jpeg|webp);base64,)/;

function unsafeURLs(element) {
  const values = urlAttributes.map((name) => element.getAttribute(name)).filter((value) => value !== null);
  const urls = values.map((value) => URL.parse(value, location.href)).filter((url) => url !== null);
  return urls.filter((url) => !inert.test(url.href)).map(String);
}

/** Finds templates whose pages do not all have the same elements, attributes and scripts. */
globalThis.disturbed = (templates) =>
  templates.flatMap(({ source, pages }) => {
    const [harmless, ...skeletons] = pages.map((html) =>
      skeleton(new DOMParser().parseFromString(html, "text/html").documentElement),
    );
    const at = skeletons.findIndex((found) => found !== harmless);
    return at < 0 ? [] : [{ source, page: pages[at + 1], harmless: pages[0] }];
  });
