import * as fc from "fast-check";
import { expect, test } from "vitest";
import { markup } from "../../lib/html.ts";
import { processorMs } from "../../lib/testing/processor-time.ts";
import { loadMarkdown, renderHTML, renderMarkdown } from "./markdown.ts";
import { hostileMarkdown } from "./testing/hostile-markdown.ts";

const site = { trustedHTML: false };
const render = (text: unknown): string => renderMarkdown(site, text).trim();

test("site.markdown renders markdown", () => {
  expect(render("# Hi\n\n*a* **b** ~~c~~ `d`")).toBe(
    "<h1>Hi</h1>\n<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>",
  );
});

test("benign markup survives: lists, tables, code with its language, quotes, images, details", () => {
  expect(render("1. a\n2. b")).toBe("<ol>\n<li>a</li>\n<li>b</li>\n</ol>");
  expect(render("3. a")).toBe('<ol start="3">\n<li>a</li>\n</ol>');
  expect(render("```ts\na < b\n```")).toBe('<pre><code class="language-ts">a &lt; b\n</code></pre>');
  expect(render("> q")).toBe("<blockquote>\n<p>q</p>\n</blockquote>");
  expect(render('![a](/b.png "t")')).toBe('<p><img src="/b.png" alt="a" title="t" /></p>');
  expect(render("<details open><summary>s</summary>\n\n<kbd>k</kbd>\n\n</details>")).toContain("<kbd>k</kbd>");
  expect(render("H<sub>2</sub>O <mark>m</mark>")).toBe("<p>H<sub>2</sub>O <mark>m</mark></p>");
});

test("tables keep their alignment without a style", () => {
  const table = render("|a|b|\n|:-:|--:|\n|1|2|");
  expect(table).toContain('<th align="center">a</th>');
  expect(table).toContain('<td align="right">2</td>');
  expect(table).not.toContain("style");
});

test("task lists show their boxes, which take no input", () => {
  const list = render("- [x] done\n- [ ] open\n- [] no");
  expect(list).toContain('<li class="task-list-item"><input type="checkbox" disabled checked /> done</li>');
  expect(list).toContain('<li class="task-list-item"><input type="checkbox" disabled /> open</li>');
  expect(list).toContain("<li>[] no</li>");
});

test("links keep people's schemes, and those that leave the site carry rel", () => {
  expect(render("[a](/b) [c](mailto:d@e.f)")).toBe('<p><a href="/b">a</a> <a href="mailto:d@e.f">c</a></p>');
  expect(render("[a](https://b.c)")).toBe('<p><a href="https://b.c" rel="nofollow noopener">a</a></p>');
  expect(render('<a href="//b.c" rel="opener">a</a>')).toBe('<p><a href="//b.c" rel="nofollow noopener">a</a></p>');
  expect(render("see https://a.b/c")).toContain('<a href="https://a.b/c" rel="nofollow noopener">https://a.b/c</a>');
});

test("script payloads vanish", () => {
  for (const payload of [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    '<a href="java&#10;script:alert(1)">a</a>',
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">x</button></form>',
    "<style>@import 'javascript:alert(1)'</style>",
    '<p style="background:url(javascript:alert(1))" onclick="alert(1)" id="x">x</p>',
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "![a](data:text/html,alert(1))",
  ]) {
    expect(render(payload)).not.toMatch(
      /<(?:script|svg|iframe|form|button|style|math)|\son\w+=|=.?(?:javascript|data):|style=|id=/i,
    );
  }
});

test("what is no checkbox is no input", () => {
  expect(render('<input type="password"> <input> <input type="checkbox">')).toBe(
    '<p>  <input type="checkbox" disabled /></p>',
  );
});

test("trustedHTML leaves markdown unsanitised", () => {
  const html = renderMarkdown({ trustedHTML: true }, '<p id="a" style="color:red">x</p>\n\n*y*');
  expect(html).toBe('<p id="a" style="color:red">x</p>\n<p><em>y</em></p>\n');
});

test("nothing renders as nothing, and other values as their text", () => {
  expect(render(undefined)).toBe("");
  expect(render(null)).toBe("");
  expect(render(5)).toBe("<p>5</p>");
});

test("HTML from data is sanitised unless the framework made it or the site is trusted", () => {
  const html = "<b onclick=alert(1)>x</b><script>1</script>";
  expect(renderHTML(site, html)).toBe("<b>x</b>");
  expect(renderHTML(site, markup(html))).toBe(html);
  expect(renderHTML({ trustedHTML: true }, html)).toBe(html);
  expect(renderHTML(site, undefined)).toBe("");
});

test("sanitised HTML is a fixed point: a second pass changes nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...fragments), { maxLength: 24 }), (parts) => {
      const once = renderMarkdown(site, parts.join(""));
      expect(renderHTML(site, once)).toBe(once);
    }),
    { numRuns: 300, seed: 7 },
  );
});

const fragments = [
  ..."<a href=\"|<a href='|\">|'>|</a>|<b>|</b>|<!--|-->|<script>|</script>|<svg>|<style>|</style>|<title>|<table>|<td>".split(
    "|",
  ),
  ..."javascript:|&#106;|&lt;|&amp;|&|<|>|\"|'|`|\n\n|- |[ ] |> |*|_|[x](|)|![|]|\\|    |```|x| |/|=|onerror=|\0".split(
    "|",
  ),
];

test("HTML of very many open tags is shown as text, and a long well-formed document is not", () => {
  const deep = "<b>".repeat(3000);
  expect(render(deep)).toMatch(/^<p>&lt;b&gt;&lt;b&gt;/);
  expect(renderHTML(site, deep)).toMatch(/^&lt;b&gt;&lt;b&gt;/);
  const long = '<p>a <i title="t">b</i><br /></p>\n'.repeat(3000);
  expect(renderHTML(site, long)).toBe(long);
  const table = `|a|b|\n|-|:-:|\n${'| <b>x</b> "& | y |\n'.repeat(2000)}`;
  expect(render(table)).toContain('<td><b>x</b> "&amp;</td>');
});

test.each(["<b>", "<div>", "<b></i>", '<b title="</b>">', "<b><script></b></script>", "<b><!--></b>-->", "<svg><b>"])(
  "ten times as much of %s takes about ten times as long",
  async (unit) => {
    const time = (size: number, enough: number): Promise<number> =>
      processorMs(() => renderHTML(site, unit.repeat(size / unit.length)), enough);
    const bound = 40 * (await time(40_000, 0)) + 100;
    expect(await time(400_000, bound)).toBeLessThan(bound);
  },
);

/** The maximum milliseconds of a render: four times as long as on an idle machine. Superlinear code takes seconds. */
const stalledMs = 600;

test("no input of 20 kB stalls the event loop", async () => {
  await loadMarkdown();
  for (const [name, text] of hostileMarkdown(20_000)) {
    for (const render of [renderMarkdown, renderHTML])
      expect(await processorMs(() => render(site, text), stalledMs), name).toBeLessThan(stalledMs);
  }
});
