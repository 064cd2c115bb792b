import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { hintGaps, hintSites } from "../../lib/testing/hint-sites.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { createTemplateCompiler, type TemplateApp } from "../templates.ts";
import { bound, endpoint, request } from "../testing/models.ts";

const text = { kind: "string" } as const;

/** Creates an application with a form, whose page has these `settings`. */
function appWith(settings: Parameters<typeof endpoint>[2]): TemplateApp {
  const fields = [
    bound("form", "email", text),
    bound("form", "newPassword", text),
    bound("form", "tags", text, { list: true }),
  ];
  const declarations = [
    endpoint("GET /about", "about", { request: request({}) }),
    endpoint("POST /join", "join", { ...settings, request: request({ bound: fields, carries: "form" }) }),
  ];
  return { packages: [{ name: "app", dir: "", service: "app", declarations }] };
}

const app = appWith({ settings: { signIn: false, private: false, invalid: true } });
const once = appWith({});
const empty: TemplateApp = { packages: [] };

const compile = createTemplateCompiler();

function problemsOf(source: string, { name = "t.html", of = app }: Circumstances): readonly Diagnostic[] {
  const files = [
    { name: "card.html", source: "x" },
    { name: "messages/en.json", source: messages },
    { name: "panel.html", source: `{{slot}}{{slot "footer"}}` },
    { name, source },
  ];
  return compile(files, of).diagnostics;
}

interface Circumstances {
  /** The name of the template. */
  readonly name?: string;
  /** The application of the refused template. */
  readonly of?: TemplateApp;
}

const messages =
  '{ "hello": "Hello {name}", "cart": { "items": { "one": "{count} item", "other": "{count} items" } } }';
const german = { name: "messages/de.json" };

const control = '<input name="email" {{attributes "POST /join" "email"}}>';
const script = (code: string): string => `<script>${code}</script>`;
const svg = (content: string): string => `<svg>${content}</svg>`;

/** Rejected templates, each with its correction according to the hint. */
const cases: readonly (readonly [refused: string, mended: string, circumstances?: Circumstances])[] = [
  ['<input name="email" {{attributes "POST /join"}}>', control],
  ['{{attributes "POST /join" "email"}}', control],
  ['<input {{attributes "POST /jion" "email"}}>', '<input {{attributes "POST /join" "email"}}>'],
  ['<input {{attributes "POST /join" "zzzz"}}>', '<input {{attributes "POST /join" "email"}}>'],
  ['<input {{attributes "GET /about" "email"}}>', '<input {{attributes "POST /join" "email"}}>'],
  [control, control, { of: empty }],
  ['<input value="{{value "POST /join"}}">', '<input name="email" value="{{value "POST /join" "email"}}">'],
  ['{{errors "POST /join" name}}', '{{errors "POST /join" "email"}}'],
  ['{{field "POST /join"}}', '{{field "POST /join" "email" label="Email"}}'],
  ['{{errors "POST /join" "email" class="red"}}', '{{errors "POST /join" "email"}}'],
  ['{{errors "POST /join" "email"}}', '{{errors "POST /join" "email"}}', { of: once }],
  ['<input value="{{value "POST /join" "newPassword"}}">', "<input>"],
  ['<p title="{{field "POST /join" "email" label="Email"}}">', '{{field "POST /join" "email" label="Email"}}'],
  [
    '{{field "POST /join" "email" label="Email" color="red"}}',
    `<label style="color: red">Email ${control.replace(">", ' value="{{value "POST /join" "email"}}">')}</label>{{errors "POST /join" "email"}}`,
  ],
  ['{{field "POST /join" "email"}}', '{{field "POST /join" "email" label="Email"}}'],
  ['{{field "POST /join" "tags" label="Tags"}}', '<input name="tags" {{attributes "POST /join" "tags"}}>'],
  ['{{field "POST /join" "email" label="Email" rows=many}}', '{{field "POST /join" "email" label="Email" rows=6}}'],
  ["{{#if a b}}x{{/if}}", "{{#if (and a b)}}x{{/if}}"],
  ["{{#unless a b}}x{{/unless}}", "{{#unless (or a b)}}x{{/unless}}"],
  ["{{#each}}x{{/each}}", "{{#each items as |item|}}x{{/each}}"],
  ["{{#with a b}}x{{/with}}", "{{#with author as |author|}}x{{/with}}"],
  ["{{#if a then=1}}x{{/if}}", "{{#if a}}x{{/if}}"],
  ["{{#eahc a}}x{{/eahc}}", "{{#each a}}x{{/each}}"],
  ["{{#items}}x{{/items}}", "{{#each items}}x{{/each}}{{#if items}}x{{/if}}"],
  ["{{#repeat a}}x{{/repeat}}", "{{#each a}}x{{/each}}"],
  ["{{#if a}}<b title='{{/if}}x'></b>", "{{#if a}}<b title='x'></b>{{/if}}"],
  ["{{#each a}}<b title='{{/each}}", "{{#each a}}<b title=''></b>{{/each}}"],
  ["<{{a}}>", "<b>"],
  ["</{{a}}>", "</b>"],
  ["<b{{a}}>", "<b>"],
  ["<b {{a}}>", "<b {{#if a}}hidden{{/if}}>"],
  ["<b hid{{a}}>", "<b {{#if a}}hidden{{/if}}>"],
  ["<b hidden {{a}}>", "<b hidden {{#if a}}title='x'{{/if}}>"],
  [svg("<style>a { fill: {{a}} }</style>"), "<style>a { fill: {{a}} }</style>"],
  [svg("<script>f({{a}})</script>"), svg('<g data-a="{{a}}"></g>')],
  ["<script type='text/x-tmpl'>{{a}}</script>", '<script type="application/json">{{a}}</script>'],
  ["<iframe srcdoc='{{a}}'></iframe>", "<iframe src='/documents/{{a}}'></iframe>"],
  ["<i x-html='{{a}}'></i>", "<i>{{a}}</i>"],
  ["<script type='{{a}}'></script>", "<script type='module'></script>"],
  ["<b {{#if a}}x{{/if}}y='{{b}}'>", "<b {{#if a}}xy='{{b}}'{{else}}y='{{b}}'{{/if}}>"],
  ["{{eq (size=1) a}}", "{{eq size a}}"],
  ["{{a.b c}}", "{{lookup a.b c}}"],
  ["{{markdown text=a}}", "{{markdown a}}"],
  ["{{shout a}}", "{{markdown a}}"],
  ["{{markdwn a}}", "{{markdown a}}"],
  ["{{#each a}}{{@number}}{{/each}}", "{{#each a}}{{@index}}{{/each}}"],
  ["{{#each a}}{{@indx}}{{/each}}", "{{#each a}}{{@index}}{{/each}}"],
  ["{{(lookup a b).c}}", "{{#with (lookup a b)}}{{c}}{{/with}}"],
  ["{{eq a}}", "{{eq a b}}"],
  ["{{#if a}}{{> t}}{{/if}}<b title='", "{{#if a}}{{> t}}{{/if}}<b title=''>"],
  ["{{> footer}}", "{{> card}}"],
  ["{{> crad}}", "{{> card}}"],
  ["<b title='{{csrf}}'>", "<b title='{{csrfToken}}'>"],
  ["<b title='{{markdown a}}'></b>", "<b>{{markdown a}}</b>"],
  ["<b title='{{{a}}}'>", "<b title='{{a}}'>"],
  ["{{#if a}}x{{/each}}", "{{#if a}}x{{/if}}"],
  ["{{a/../b}}", "{{#with a}}{{../b}}{{/with}}"],
  ["{{#*inline a}}x{{else}}y{{/inline}}", "{{> card a=1}}"],
  ["{{a =}}", "\\{{a =}}"],
  ['{"id":{{a}}}', '{"id":{{a}} }'],
  ["{{", "{{a}}"],
  ["a\n{{!-- b {{c}}", "a\n{{!-- b --}} {{c}}"],
  ["{{{{a}}}} b", "\\{{a}} b"],
  ["{{[a b}}", "{{[a b]}}"],
  ["<iframe>{{a}}</iframe>", "<pre>{{a}}</pre>"],
  ["<!doctype {{a}}>", "<!doctype html>"],
  ["{{#if a}}x", "{{#if a}}x{{/if}}"],
  [svg("<![CDATA[ a > {{a}} ]]>"), svg("a &gt; {{a}}")],
  ["<title></{{a}}</title>", "<title>&lt;/{{a}}</title>"],
  ["<!{{#if a}}--{{/if}}-->", "<!--{{#if a}}{{/if}}-->"],
  [script("f('<!--')"), script("f('')")],
  [svg("<title><b>x</b></title>"), svg("<title>&lt;b>x&lt;/b></title>")],
  ["<noscript><i title='</noscript>'></i></noscript>", "<noscript><i title='&lt;/noscript>'></i></noscript>"],
  [script("a\n--> b\nf({{a}})"), script("const value = {{a}};\na\n--> b\nf(value)")],
  [script("x = 'a\n'; y = {{a}}"), script("x = 'a'; y = {{a}}")],
  [
    script('q = {a: 2}\n/ 2; s = "/"; x = "{{a}}"'),
    script('const value = "{{a}}"; q = {a: 2}\n/ 2; s = "/"; x = value'),
  ],
  [script("f(`${ {{a}} }`)"), script("const value = {{a}}; f(`${value}`)")],
  [script("x = /{{a}}/"), script("const value = {{a}}; x = new RegExp(value)")],
  ["<b onclick='x <!{{a}}'>", "<b onclick='x <! {{a}}'>"],
  [script("x <!{{a}}"), script("x <! {{a}}")],
  ["<style>a { content: '</{{a}}' }</style>", "<style>a { content: '</ {{a}}' }</style>"],
  ["<script type=module>import x from '{{a}}'</script>", "<script type=module>import x from './pages/{{a}}'</script>"],
  ["<style>a { content: 'x\n{{a}}' }</style>", "<style>a { content: 'x' }</style>"],
  ["<style>a { content: '\\\\{{a}}' }</style>", "<style>a { content: '{{a}}' }</style>"],
  [script("f('\\\\{{a}}')"), script("f('{{a}}')")],
  ["<a href='{{a}}:8080'>", "<a href='https://example.com:8080/{{a}}'><a href='{{a}}'>"],
  ["{{../a}}", "{{a}}"],
  ["{{@index}}", "{{#each a}}{{@index}}{{/each}}"],
  ["<meta content='{{a}}' http-equiv=refresh>", "<meta http-equiv=refresh content='{{a}}'>"],
  [svg("<script/>"), svg("<script></script>")],
  ["<a href='javascript:f({{a}})'>", "<a onclick='f({{a}})'><a href='/x/{{a}}'>"],
  ["<a href='/x{{#if a}}?a{{/if}}{{b}}'>", "{{#if a}}<a href='/x?a{{b}}'>{{else}}<a href='/x{{b}}'>{{/if}}"],
  ["<a href='//{{a}}'>", "<a href='//example.com/{{a}}'><a href='{{a}}'>"],
  ["<link href='{{a}}' rel=stylesheet>", "<link rel=stylesheet href='{{a}}'>"],
  ["<script src='x{{a}}'></script>", "<script src='/{{a}}'></script><script src='https://example.com/{{a}}'></script>"],
  ["<b style='background: url({{a}}\\62)'>", "<b style='background: url({{a}}b)'>"],
  ["{{#> card}}x{{/card}}", "{{#> panel}}x{{/panel}}"],
  ['{{#> card}}{{#slot "top"}}x{{/slot}}{{/card}}', "{{#> panel}}x{{/panel}}"],
  ['{{#> panel}}{{#slot "foter"}}x{{/slot}}{{/panel}}', '{{#> panel}}{{#slot "footer"}}x{{/slot}}{{/panel}}'],
  ['{{#> panel}}{{#slot "zzzzzz"}}x{{/slot}}{{/panel}}', '{{#> panel}}{{#slot "footer"}}x{{/slot}}{{/panel}}'],
  [
    '{{#> panel}}{{#slot "footer"}}x{{/slot}}{{#slot "footer"}}y{{/slot}}{{/panel}}',
    '{{#> panel}}{{#slot "footer"}}xy{{/slot}}{{/panel}}',
  ],
  ["{{slot footer}}", '{{slot "footer"}}{{slot}}'],
  ["{{#> t}}x{{/t}}", "{{#if a}}{{> t}}{{/if}}"],
  ["{{#*inline 'a'}}x{{/inline}}", '{{#> panel}}{{#slot "footer"}}x{{/slot}}{{/panel}}'],
  ['{{t "helo" name=a}}', '{{t "hello" name=a}}'],
  ['{{t "zzzzzzz"}}', '{{t "hello" name=a}}'],
  ['{{t "hello"}}', '{{t "hello" name=name}}'],
  ['{{t "hello" name=a b=b}}', '{{t "hello" name=a}}'],
  ["{{t key}}", '{{t "cart.items" count=items.length}}'],
  ["{{date at at}}", '{{date at style="long" timeZone="Europe/Zurich"}}'],
  ["{{number n digit=2}}", '{{number price currency="EUR"}}{{number n digits=2}}{{number n style="percent"}}'],
  ['{{time at style="wide"}}', '{{time at style="short" timeZone="Europe/Zurich"}}'],
  ["{{number n digits=many}}", "{{number n digits=2}}"],
  ['{ "hello": "Hallo {name}" }', messages, german],
  [messages.replace("{name}", ""), messages, german],
  [messages.replace('"hello"', '"more": 1, "hello"'), messages, german],
  ["{", messages, german],
  ["[]", messages, german],
  ["{{> (lookup a b)}}", "{{#if a}}{{> card}}{{/if}}"],
  ["{{> card a b}}", "{{> card a open=b}}"],
  ["<", "&lt;"],
  ["<a href='", "<a href=''>"],
  ["<body></body>", "<body>{{content}}</body>", { name: "layout.html" }],
];

const folder = new URL("./", import.meta.url);
const sources = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
/** The source files of problems with a page's data, whose hints `cli/template-data-hints.test.ts` applies. */
const ofData: ReadonlySet<string> = new Set(["data-problems.ts"]);
const sites = hintSites(
  [
    ...sources.filter((name) => !ofData.has(name)).map((name) => new URL(name, folder)),
    new URL("../templates.ts", folder),
  ],
  [
    { name: "TemplateError", message: 0, hint: 1 },
    { name: "problemAt", message: 2, hint: 3 },
  ],
);

test.each(cases.map(([refused, mended, circumstances = {}]) => ({ refused, mended, circumstances })))(
  "the hint for $refused leads to a template that passes",
  ({ refused, mended, circumstances }) => {
    expect(problemsOf(refused, circumstances)).toEqual([
      expect.objectContaining({ hint: expect.any(String) as string }),
    ]);
    expect(problemsOf(mended, { ...circumstances, of: app })).toEqual([]);
  },
);

test("every message about a template has a hint, and each is among those that were applied", () => {
  const problems = cases.flatMap(([refused, , circumstances = {}]) => problemsOf(refused, circumstances));
  expect(sites.length).toBeGreaterThan(60);
  expect(hintGaps(sites, problems)).toEqual([]);
});
