import { expect, test } from "vitest";
import { createTemplateCompiler } from "./templates.ts";
import { compile, evaluate, load, problems, render, testPage } from "./template/testing/render.ts";

test("a value is escaped as text", () => {
  expect(render("<p>{{name}}</p>", { name: `<b> & "it's"` })).toBe("<p>&lt;b&gt; &amp; &quot;it&#39;s&quot;</p>");
});

test("undefined, null and functions render as nothing; 0 and false as themselves", () => {
  expect(render("[{{a}}{{b}}{{c}}][{{d}}{{e}}]", { b: null, c: () => 1, d: 0, e: false })).toBe("[][0false]");
});

test("dates render in RFC 3339, bigints exactly, lists joined, and data's own toString is not called", () => {
  const data = { at: new Date(0), n: 2n ** 64n, l: [1, "<"], o: { toString: 1 } };
  expect(render("{{at}} {{n}} {{l}} {{o}}", data)).toBe(
    "1970-01-01T00:00:00.000Z 18446744073709551616 1,&lt; [object Object]",
  );
});

test("paths read own properties only, of objects, lists, text and maps", () => {
  const data = { a: { b: [{ c: 1 }] }, s: "abc", m: new Map([["k", 2]]) };
  expect(render("{{a.b.[0].c}} {{a.b.length}} {{s.length}} {{m.k}} {{m.size}} {{a.x.y}}", data)).toBe("1 1 3 2 1 ");
  expect(render("[{{constructor}}{{a.__proto__}}{{a.constructor.name}}{{toString}}{{m.get}}]", data)).toBe("[]");
});

test("if takes nothing, false, 0, empty text and empty lists as false", () => {
  for (const value of [undefined, null, false, 0, "", [], new Map(), new Set(), NaN]) {
    expect(render("{{#if v}}yes{{else}}no{{/if}}", { v: value })).toBe("no");
    expect(render("{{#unless v}}no{{/unless}}", { v: value })).toBe("no");
  }
  for (const value of [true, 1, "0", [0], {}]) expect(render("{{#if v}}yes{{/if}}", { v: value })).toBe("yes");
});

test("else if chains take the first branch that holds", () => {
  const source = "{{#if a}}a{{else if b}}b{{else}}c{{/if}}";
  expect([{ a: 1 }, { b: 1 }, {}].map((data) => render(source, data))).toEqual(["a", "b", "c"]);
});

test("each gives index, key, first and last, and an else for nothing", () => {
  const source =
    "{{#each xs}}{{@index}}{{@key}}{{#if @first}}F{{/if}}{{#if @last}}L{{/if}}:{{this}} {{else}}none{{/each}}";
  expect(render(source, { xs: ["a", "b"] })).toBe("00F:a 11L:b ");
  expect(render(source, { xs: { k: "a", l: "b" } })).toBe("0kF:a 1lL:b ");
  expect(render(source, { xs: new Map([["k", "a"]]) })).toBe("0kFL:a ");
  expect(render(source, { xs: new Set(["a"]) })).toBe("00FL:a ");
  for (const xs of [[], {}, undefined, "text", 5]) expect(render(source, { xs })).toBe("none");
});

test("each and with name what they hold, and ../ leads out", () => {
  const data = { t: "T", rows: [{ n: 1, cells: ["a", "b"] }], o: { k: "K" } };
  expect(
    render(
      "{{#each rows as |row i|}}{{#each row.cells as |cell j|}}{{i}}{{j}}{{cell}}{{row.n}}{{../n}}{{../../t}}{{@../index}} {{/each}}{{/each}}",
      data,
    ),
  ).toBe("00a11T0 01b11T0 ");
  expect(
    render("{{#with o as |x|}}{{k}}{{x.k}}{{../t}}{{@root.t}}{{/with}}{{#with z}}{{else}}none{{/with}}", data),
  ).toBe("KKTTnone");
});

test("helpers compare and choose", () => {
  const data = { a: 2, b: "2", d: new Date(5), e: new Date(5), n: null };
  const yes = (condition: string): string => render(`{{#if ${condition}}}yes{{/if}}`, data);
  for (const condition of [
    "(eq a 2)",
    "(ne a b)",
    "(lt a 3)",
    "(lte a 2)",
    "(gt a 1)",
    "(gte a 2)",
    "(not n)",
    "(eq d e)",
    "(and a b)",
    "(or n b)",
    '(lt "a" "b")',
  ])
    expect([condition, yes(condition)]).toEqual([condition, "yes"]);
  for (const condition of ["(eq a b)", "(lt a b)", "(gt n 0)", "(not a)", "(and a n)", "(or n 0)"])
    expect([condition, yes(condition)]).toEqual([condition, ""]);
  expect(
    render(
      '{{or n "default"}} {{and a b}} {{concat "a" a "<"}} {{lookup this "b"}}{{lookup this "constructor"}}',
      data,
    ),
  ).toBe("default 2 a2&lt; 2");
});

test("partials take the context, another one, and named values", () => {
  const partials = { "card.html": "[{{n}}{{x}}{{@root.t}}]", "notes/_row.html": "row {{n}}" };
  const data = { n: 1, t: "T", o: { n: 2 } };
  expect(render('{{> card}}{{> card o}}{{> card o x="<"}}{{> card.html x=n}}{{> notes/_row}}', data, partials)).toBe(
    "[1T][2T][2&lt;T][11T]row 1",
  );
});

test("a partial is escaped for the place it is used in", () => {
  const partials = { "v.html": "{{v}}" };
  const source = `<a href="{{> v}}" title="{{> v}}">{{> v}}</a><script>x = {{> v}}</script>`;
  expect(render(source, { v: "javascript:'" }, partials)).toBe(
    `<a href="about:invalid#blocked" title="javascript:&#39;">javascript:&#39;</a><script>x = "javascript:'"</script>`,
  );
});

test("a partial may use itself", () => {
  const partials = { "tree.html": "<li>{{n}}{{#each kids}}<ul>{{> tree}}</ul>{{/each}}</li>" };
  expect(render("{{> tree}}", { n: 1, kids: [{ n: 2, kids: [{ n: 3 }] }] }, partials)).toBe(
    "<li>1<ul><li>2<ul><li>3</li></ul></li></ul></li>",
  );
});

test("csrf expands to the hidden input, csrfToken to the bare token", () => {
  expect(render(`<form>{{csrf}}{{ csrf }}</form><meta name="t" content="{{csrfToken}}">`)).toBe(
    '<form><input type="hidden" name="_csrf" value="tok"><input type="hidden" name="_csrf" value="tok"></form><meta name="t" content="tok">',
  );
});

test("markdown and {{{ }}} go out as the page makes them; data named like a helper is reached with this", () => {
  expect(render("{{markdown t}}{{{t}}}{{this.csrf}}", { t: "a", csrf: "<" })).toBe("<p>a</p>[html:a]&lt;");
});

test("content is the page inside layout.html, and plain data elsewhere", () => {
  const templates = load({ "layout.html": "<body>{{content}}</body>", "t.html": "{{content}}" });
  expect(templates["layout.html"]?.({}, testPage)).toBe("<body><main>page</main></body>");
  expect(templates["t.html"]?.({ content: "<" }, testPage)).toBe("&lt;");
});

test("comments, whitespace control and standalone tags leave nothing behind", () => {
  expect(render("a {{! c }}{{!-- {{x}} --}}b\n{{#if y}}\n  c\n{{/if}}\nd {{~ y ~}} e", { y: 1 })).toBe("a b\n  c\nd1e");
});

test("scripts get values as JSON that cannot end the script", () => {
  const data = { v: { a: "</script>\u2028" }, s: `'"\\</script>` };
  expect(render("<script>f({{v}}, '{{s}}', {{none}}, {{s.length}})</script>", data)).toBe(
    `<script>f({"a":"\\u003c/script\\u003e\\u2028"}, '\\u0027\\u0022\\u005c\\u003c\\u002fscript\\u003e',  null ,  12 )</script>`,
  );
});

test("URLs keep harmless schemes, lose those that run code, and encode what stands in a query", () => {
  for (const url of ["/a?b=c#d", "https://a.b/", "mailto:a@b.c", "tel:+1", "#x", "a/b:c", "?a:b"])
    expect(href(url)).toBe(url);
  for (const url of [
    "javascript:1",
    " JaVaScRiPt:1",
    "vbscript:1",
    "data:text/html,1",
    "\u0001javascript:1",
    "x:1",
    ":1",
  ])
    expect(href(url)).toBe("about:invalid#blocked");
  expect(href("data:image/png;base64,AAAA")).toBe("data:image/png;base64,AAAA");
  expect(href('/ä b"%20%')).toBe("/%C3%A4%20b%22%20%25");
  expect(render('<a href="/s?q={{q}}&r={{q}}#{{q}}">', { q: "a&b=c/ü" })).toBe(
    '<a href="/s?q=a%26b%3Dc%2F%C3%BC&r=a%26b%3Dc%2F%C3%BC#a%26b%3Dc%2F%C3%BC">',
  );
  expect(render('<a href="/{{p}}">', { p: "//evil.test" })).toBe('<a href="/evil.test">');
});

test("no value after the beginning of a URL chooses its host, an empty one or a lone slash included", () => {
  const action = (template: string, data: object): string => render(`<form action="${template}">`, data).slice(14, -2);
  expect(action("/{{a}}/{{b}}", { a: "", b: "evil.test" })).toBe("/./evil.test");
  expect(action("/{{a}}/settings", { a: "" })).toBe("/./settings");
  expect(action("/{{a}}{{b}}", { a: "", b: "/evil.test" })).toBe("/evil.test");
  expect(action("{{a}}/{{b}}", { a: "/", b: "evil.test" })).toBe("/./evil.test");
  expect(action("{{#if a}}{{a}}{{else}}/x{{/if}}{{b}}", { a: "https://good.test", b: ".evil" })).toBe(
    "https://good.test/.evil",
  );
  for (const path of ["@evil.test", ".evil.test", ":80@evil.test"])
    expect(action("https://api.test{{a}}", { a: path })).toBe(`https://api.test/${path}`);
  for (const path of ["/x", "?y", "#z", ""])
    expect(action("https://api.test{{a}}", { a: path })).toBe(`https://api.test${path}`);
  expect(render(`<img srcset="/i/{{a}} {{w}}x, {{b}} 2x">`, { a: "a,b", b: "/c", w: "1, //evil.test" })).toBe(
    '<img srcset="/i/a%2Cb x, /c 2x">',
  );
});

test("harmless values lead where the text of the URL says", () => {
  const page = "http://app.test/dir/page";
  const values = ["", "a", "a/b", "/a", "a.html", "ü b", "~@,", "..", "/", "?x=1", "#f"];
  const templates = [
    "/{{a}}/{{b}}",
    "/{{a}}{{b}}",
    "{{a}}/{{b}}",
    "{{a}}{{b}}",
    "/x/{{a}}/{{b}}",
    "/x{{a}}.{{b}}",
    "./{{a}}/{{b}}",
  ];
  const hosted = ["https://cdn.test/{{a}}/{{b}}", "https://cdn.test/x{{a}}{{b}}", "{{a}}/x{{#if a}}/{{b}}{{/if}}"];
  const hostOf = (url: string): string => URL.parse(url, page)?.host ?? "";
  for (const template of [...templates, ...hosted]) {
    const link = load({ "t.html": `<a href="${template}">` })["t.html"];
    for (const a of values) {
      for (const b of values) {
        const text = template.replace(/\{\{#if a\}\}(.*)\{\{\/if\}\}/, a === "" ? "" : "$1");
        const plain = text.replace("{{a}}", a).replace("{{b}}", b);
        const [href = ""] = /(?<=href=").*(?=">)/.exec(link?.({ a, b }, testPage) ?? "") ?? [];
        // Skip values that combine into a host or a scheme, which links must not contain.
        if (!["app.test", "cdn.test"].includes(hostOf(plain)) || plain.startsWith("//")) continue;
        const expected = URL.parse(plain, page)?.href;
        expect([template, a, b, URL.parse(href, page)?.href]).toEqual([template, a, b, expected]);
      }
    }
  }
});

test("a slash after a condition begins a regular expression, and after a property or a call it divides", () => {
  for (const code of ["if (x) /['\"]/.test(y);", "s.of / 2; t = '/';", "f(x) / 2; t = '/';", "/a/g / 2; t = '/';"]) {
    expect(render(`<script>${code} u = {{a}}</script>`, { a: "hit(1)" })).toContain('u = "hit(1)"');
  }
});

test("scripts come from this origin only when data says from where", () => {
  expect(src("/a.js?v=1")).toBe("/a.js?v=1");
  for (const url of ["https://evil.test/", "//evil.test/", "/\\evil.test", "\t//evil.test"])
    expect(src(url)).toBe("about:invalid#blocked");
});

test("what brings code comes from this origin, and stays in the directory that the template names", () => {
  const own = (template: string, v: string): string => render(template, { v }).replace(/^.*"(.*?)".*$/s, "$1");
  for (const template of [
    `<p hx-get="{{v}}">`,
    `<p data-sse-connect="{{v}}">`,
    `<link rel=stylesheet href="{{v}}">`,
    `<button formaction="{{v}}">`,
    `<style>@import "{{v}}";</style>`,
  ]) {
    expect([template, own(template, "/a/b")]).toEqual([template, "/a/b"]);
    expect([template, own(template, "https://evil.test/")]).toEqual([template, "about:invalid#blocked"]);
  }
  for (const v of ["a.b", "js/app.min", "..a", "a..", ""])
    expect(own(`<script src="/js/{{v}}.js"></script>`, v)).toBe(`/js/${v}.js`);
  for (const v of ["../up", "a/../../up", "%2E%2e/up", "..\\up", "./up"])
    expect(own(`<script src="/js/{{v}}.js"></script>`, v)).toBe("/js/blocked.js");
  expect(own(`<script>import("./pages/{{v}}.js")</script>`, "home")).toBe("./pages/home.js");
  expect(own(`<link rel=canonical href="{{v}}">`, "https://a.test/b")).toBe("https://a.test/b");
});

test("a form that data sends to another origin has no token", () => {
  const form = (action: string, source = "{{action}}"): string =>
    render(`<form action="${source}"><a href="{{action}}">x</a>{{csrf}}</form>{{csrfToken}}`, { action });
  for (const action of ["/a", "a", "", "?b"]) expect(form(action)).toContain('value="tok"');
  for (const action of ["https://evil.test/", "//evil.test", "mailto:a@b"])
    expect(form(action)).not.toContain('value="tok"');
  expect(form("https://evil.test/", "{{#if x}}{{action}}{{else}}/a{{/if}}")).toContain('value="tok"');
  expect(form("https://evil.test/", "{{#if action}}{{action}}{{else}}/a{{/if}}")).not.toContain('value="tok"');
});

test("ordinary markup is taken", () => {
  const sources = [
    `<meta {{#if v}}name="a"{{else}}property="b"{{/if}} content="{{v}}"><meta name="{{v}}" content="{{v}}">`,
    `<meta name="{{#if v}}a{{else}}b{{/if}}" content="{{v}}">`,
    `<!--{{#if v}}a{{/if}}--><!-- {{v}}-{{#if v}}-{{/if}} x -->`,
    `<textarea>{{#if v}}{{v}}{{/if}}</textarea><title>{{#if v}}{{v}} - {{/if}}a</title>`,
    `<svg><title>{{v}}</title><style>a{fill:red}</style><style><![CDATA[a > b{}]]></style><svg></svg></svg><script>x={{v}}</script>`,
    `<svg><animate attributeName="d" values="M 0 0;{{v}}" from="{{v}}"/></svg>`,
    `<noscript><img alt="{{v}}" src="{{v}}"></noscript><!-- <noscript></noscript> -->`,
    `<script>if (a <{{v}}) b; x = Array.from("{{v}}"); from({{v}}); const important = {{v}};</script>`,
    `<script type="importmap">{"imports": {"a": "/assets/{{v}}.js"}}</script>`,
    `<script type="module">import a from "/assets/a-{{v}}.js"; const b = {{v}};</script>`,
    `<a href="/?a=1&b={{v}}&{{v}}">a & b &c</a>`,
  ];
  expect(sources.flatMap((source) => problems(source))).toEqual([]);
  expect(render(`<a href="/?a=1&b={{v}}">a & b &lt; &copy</a>`, { v: "x" })).toBe(
    `<a href="/?a=1&b=x">a & b &lt; &copy;</a>`,
  );
});

test("styles keep plain values and colours", () => {
  for (const v of ["red", "#fff", "12px", "50%", "rgb(1, 2, 3)", "var(--x)", "Arial, sans-serif"])
    expect(color(v)).toBe(v);
  expect(color(-1.5)).toBe("-1.5");
  for (const v of ["red;x:y", "url(x)", "expression(1)", "a{b", "/**/", "\\65"]) expect(color(v)).toBe("blocked");
});

test("what the framework rendered passes as it stands", () => {
  expect(render("{{v}}|<b title='{{v}}'>", { v: evaluateMarkup("<i>") })).toBe("<i>|<b title='&lt;i&gt;'>");
});

function evaluateMarkup(html: string): unknown {
  return { [Symbol.for("fw.markup")]: html };
}

test("values left without quotes get them", () => {
  expect(render("<a class={{v}} id=x{{v}} href=/{{v}}>", { v: "" })).toBe('<a class="" id="x" href="/">');
});

test("an attribute may be there only sometimes", () => {
  const source = '<input {{#if on}}checked{{/if}} {{#if v}}value="{{v}}"{{/if}}>';
  expect([{ on: true }, { v: '"' }].map((data) => render(source, data))).toEqual([
    "<input checked >",
    '<input  value="&quot;">',
  ]);
});

test("a textarea keeps a newline that its text begins with", () => {
  expect(render("<textarea>{{v}}</textarea><textarea>a{{v}}</textarea>", { v: "\nx" })).toBe(
    "<textarea>\n\nx</textarea><textarea>a\nx</textarea>",
  );
});

test.each([
  ["{{#if x}}\n\n", "1:1 {{#if}} is never closed | close it with {{/if}}"],
  ["a\n  {{#if x}}{{/each}}", "2:6 {{#if}} is closed by {{/each}} | close it with {{/if}}"],
  ["{{shout x}}", /^1:1 there is no helper named shout/],
  ["{{markdwn x}}", "1:1 there is no helper named markdwn | did you mean markdown?"],
  ["{{#eahc x}}{{/eahc}}", "1:1 there is no block {{#eahc}} | did you mean {{#each}}?"],
  ["{{#items}}{{/items}}", "1:1 there is no block {{#items}} | write {{#each items}} or {{#if items}}"],
  ["{{> crad}}", "1:1 there is no template crad in templates/ | did you mean {{> card}}?"],
  ["{{#if a b}}{{/if}}", "1:1 {{#if}} takes one value | combine conditions: {{#if (and a b)}}"],
  ["{{eq a}}", "1:1 eq takes 2 arguments, not 1 | write (eq a b)"],
  ["{{../x}}", "1:1 ../x leads outside the template | remove a ../"],
  ["{{@index}}", "1:1 @index has no {{#each}} around it | write it inside the {{#each}} that it counts"],
  ["{{@indx}}", "1:1 there is no @indx | did you mean @index?"],
  ["<b {{x}}>", /^1:4 a value is not allowed inside the tag <b>/],
  ["<{{x}}>", /^1:2 a value is not allowed right after a </],
  ["<b a{{x}}=1>", /^1:5 a value is not allowed inside the tag <b>/],
  ["<b {{#if a}}x{{/if}}y='{{b}}'>", /^1:24 after these branches it is unclear which attribute/],
  [
    "{{#if a}}<b title='{{/if}}",
    /^1:1 the branches end in different contexts: one inside the value of title in <b>, the other between tags/,
  ],
  ["{{#each a}}<b title='{{/each}}", /^1:1 each iteration begins between tags and ends inside the value of title/],
  ["<a href='", "1:10 the template ends inside the value of href in <a> | close it"],
  ["<a href='javascript:f({{x}})'>", /^1:23 a value is not allowed in a URL whose scheme runs code/],
  ["<a href='{{x}}:8080'>", /^1:15 this colon would let a value choose the URL's scheme/],
  ["<a href='/x{{#if a}}?a{{/if}}{{b}}'>", /^1:30 here this URL may or may not have reached its query/],
  ["<script src='x{{x}}'></script>", /^1:15 a value could choose the origin of this <script>/],
  ["<script type='{{x}}'></script>", /^1:15 a value cannot choose the type of <script>/],
  ["<script type='text/x-tmpl'>{{x}}</script>", /^1:28 this <script> has a type that fw cannot escape for/],
  ["<script>f(`${ {{x}} }`)</script>", /^1:15 a value is not allowed inside a template literal/],
  ["<script>x = /{{x}}/</script>", /^1:14 a value is not allowed inside a regular expression/],
  ["<script src='https://{{x}}/a.js'></script>", /^1:22 a value could choose the host of this URL/],
  ["<a href='//{{x}}'>", /^1:12 a value could choose the host of this URL \| write the host and a \/ in the template/],
  ["<script src='{{a}}{{b}}'></script>", /^1:19 a value could choose the origin of this <script>/],
  [
    '<script>q = {a: 2}\n/ 2; s = "/"; x = "{{a}}"</script>',
    /^2:20 before this value, a \/ may be a division or begin a reg/,
  ],
  ["<script>a\n--> b\nx = {{a}}</script>", /^3:5 a value is not allowed in this script: it contains an HTML comment/],
  [
    "<script>x = 'a\n'; y = {{a}}</script>",
    /^2:8 a value is not allowed after a string or regular expression that does not end/,
  ],
  [
    "<script>a {{#if b}}/{{/if}}/ c\nx = {{a}}</script>",
    /^2:5 a value is not allowed in this script: a comment begins in one/,
  ],
  ["<style>a { content: 'x\n{{a}}' }</style>", /^1:1 a string in this style does not end on its line/],
  ["<iframe srcdoc='{{x}}'></iframe>", /^1:17 a value is not allowed in srcdoc/],
  ["<meta content='{{x}}' http-equiv=refresh>", /^1:21 http-equiv comes after a content attribute with a value/],
  [
    "<meta content='{{x}}' name=htmx-config>",
    /^1:21 name comes after a content attribute with a value \| write the name attribute before/,
  ],
  [
    "<link href='{{x}}' rel=stylesheet>",
    /^1:13 the rel after this href decides what it loads \| write rel before href/,
  ],
  ["<svg><script>x = {{x}}</script></svg>", /^1:18 a value is not allowed in the <script> of an <svg> or <math>/],
  ["<svg><style>a { fill: {{x}} }</style></svg>", /^1:23 a value is not allowed in the <style> of an <svg> or <math>/],
  ["<svg><title><b>x</b></title></svg>", /^1:1 a < inside the <title> of an <svg> or <math> is markup/],
  [
    "<svg><script/></svg>",
    /^1:1 <script\/> in an <svg> or <math> is self-closing only there \| write <script><\/script>/,
  ],
  ["<svg><![CDATA[ a > {{x}} ]]></svg>", /^1:1 outside SVG, a CDATA section with a > in it ends earlier/],
  ["<title></{{x}}</title>", /^1:10 a value is not allowed right after <\//],
  ["<title><{{#if x}}/title{{/if}}></title>", /the end of this <title> begins here and may continue/],
  ["<!{{#if x}}--{{/if}}-->", /^1:1 a comment begins here and may continue after a branch or a value/],
  ["<noscript><i title='</noscript>{{x}}'></i></noscript>", /^1:1 <\/noscript in text ends the element/],
  ["<i x-html='{{x}}'></i>", /^1:12 a value is not allowed in x-html, which becomes HTML/],
  ["<svg><set attributeName='{{x}}' to=1 /></svg>", /^1:26 a value cannot choose the attributename of <set>/],
  ['<script type=importmap>{"imports": {{x}} }</script>', /^1:36 a value could choose which module this script loads/],
  [
    "<script type=module>import x from '{{x}}'</script>",
    /^1:36 a value could choose which module this script loads \| begin/,
  ],
  ["<script>import('{{x}}/a.js')</script>", /^1:17 a value could choose which module this script loads/],
  ["<style>@import '{{x}}{{x}}'</style>", /^1:22 a value could choose the origin of this style sheet/],
  ["<b title='{{csrf}}'>", /^1:11 HTML is only allowed between tags.*\{\{csrfToken\}\} inserts only the token/],
  ["<b title='{{{x}}}'>", /^1:11 HTML is only allowed between tags.*two braces/],
  ["<b hx-vals='{\"a\":{{x}}}'>", /^1:2\d \}\}\} closes a value that \{\{ opened.*write a space/],
  ["{{#*inline 'card'}}{{/inline}}", /^1:1 templates cannot have decorators or inline partials/],
  ["{{> (lookup a b)}}", /^1:1 a partial's name must be written in the template/],
])("%j is refused where it stands", (source, expected) => {
  const found = problems(source, { "card.html": "x" });
  expect(found).toHaveLength(1);
  expect(found[0]).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
});

test("several mistakes are reported together, in order, each once", () => {
  expect(problems("{{a b}}\n{{#each xs}}{{> no}}{{/each}}").map((line) => line.slice(0, 24))).toEqual([
    "1:1 there is no helper n",
    "2:13 there is no templat",
  ]);
});

test("a partial's mistake is reported in its own file, once", () => {
  expect(problems("{{> p}}{{> p}}<b title='{{> p}}'></b>", { "p.html": "\n{{nope x}}" })).toEqual([
    expect.stringMatching(/^p\.html:2:1 there is no helper named nope/),
  ]);
});

test("a partial that only completes others is no mistake, and cannot be rendered alone", () => {
  const files = { "t.html": "{{> open}}'>{{> close}}", "open.html": "<b title='{{t}}", "close.html": "</b>" };
  expect(Object.keys(load(files))).toEqual(["close.html", "t.html"]);
});

test("a layout without content is refused", () => {
  expect(compile({ "layout.html": "<body></body>" }).diagnostics[0]?.message).toContain("no {{content}}");
});

test("other files of templates/ are left alone", () => {
  expect(compile({ "README.md": "{{#nope", "a.html": "x" }).diagnostics).toEqual([]);
});

test("the same templates give the same module, in whatever order they come", () => {
  const [a, b] = [["a.html", "{{> b}}"] as const, ["b.html", "{{x}}"] as const];
  const { code } = compile(Object.fromEntries([a, b]));
  expect(compile(Object.fromEntries([b, a])).code).toBe(code);
  expect(code).toContain('import { template as h } from "fw/runtime";');
});

test("whether markdown is needed is known", () => {
  expect(compile({ "a.html": "{{x}}" }).markdown).toBe(false);
  expect(compile({ "a.html": "{{markdown x}}" }).markdown).toBe(true);
  expect(compile({ "a.html": "{{{x}}}" }).markdown).toBe(true);
});

test("a compiler that is used again follows every change, through partials too", () => {
  const compileAgain = createTemplateCompiler();
  const rendered = (b: string | undefined): string => {
    const files = ["a.html", "c.html"].map((name) => ({
      name,
      source: "<p>{{> b}}</p>",
    }));
    const compiled = compileAgain(b === undefined ? files : [...files, { name: "b.html", source: b }]);
    if (compiled.diagnostics.length > 0) return compiled.diagnostics.map(({ at }) => at.path).join(" ");
    return evaluate(compiled)["a.html"]?.({ v: "<" }, testPage) ?? "";
  };
  expect([
    rendered("1{{v}}"),
    rendered("2{{v}}"),
    rendered(undefined),
    rendered("<i title='"),
    rendered("1{{v}}"),
  ]).toEqual(["<p>1&lt;</p>", "<p>2&lt;</p>", "a.html c.html", "a.html c.html", "<p>1&lt;</p>"]);
});

function href(url: string): string {
  return render(`<a href="{{url}}">`, { url }).slice(9, -2);
}

function src(url: string): string {
  return render(`<script src="{{url}}"></script>`, { url }).slice(13, -11);
}

function color(v: unknown): string {
  return render(`<b style="color:{{v}}">`, { v }).slice(16, -2);
}
