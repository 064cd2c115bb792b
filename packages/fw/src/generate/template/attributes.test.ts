import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { missOf } from "../../lib/limited.ts";
import type { BoundField } from "../../model/request-shape.ts";
import { createTemplateCompiler, type TemplateApp } from "../templates.ts";
import { bound, endpoint, request } from "../testing/models.ts";
import { compileLimits } from "../limit-constants.ts";
import { evaluate, testPage } from "./testing/render.ts";

function appOf(...fields: readonly BoundField[]): TemplateApp {
  const join = endpoint("POST /join", "join", { request: request({ bound: fields, carries: "form" }) });
  return { packages: [{ name: "app", dir: "", service: "app", declarations: [join] }] };
}

const compile = createTemplateCompiler();

function rendered(source: string, app: TemplateApp): string {
  const compiled = compile([{ name: "a.html", source }], app);
  if (compiled.diagnostics.length === 0) return evaluate(compiled)["a.html"]?.({}, testPage) ?? "";
  return compiled.diagnostics.map(({ at, message, hint }) => `${at.line}:${at.column} ${message} (${hint})`).join("\n");
}

const text = { kind: "string" } as const;
const name = bound("form", "name", { ...text, limits: { min: 2, max: 40, pattern: `[a-z"&]+` } });

test.each<[type: string, field: BoundField, attributes: string]>([
  ["a text", bound("form", "f", text), ""],
  [
    "limits of a text",
    { ...name, wire: "f" },
    'required maxlength="80" pattern="(?=[\\s\\S]{2,40}$)(?:[a-z&quot;&amp;]+)"',
  ],
  [
    "an optional one",
    bound("form", "f", { ...text, limits: { min: 2 } }, { optional: true }),
    'pattern="[\\s\\S]{2,}"',
  ],
  ["an address", bound("form", "f", { ...text, limits: { format: "email" } }), 'type="email" required'],
  ["a URL", bound("query", "f", { ...text, limits: { format: "url" } }, { optional: true }), 'type="url"'],
  ["one of a few", bound("form", "f", { ...text, literals: ["a", "b"] }), "required"],
  ["one of a few or none", bound("form", "f", { ...text, literals: ["", "b"] }), ""],
  [
    "a whole number",
    bound("form", "f", { kind: "int", limits: { min: 1, max: 9 } }),
    'type="number" required min="1" max="9"',
  ],
  ["a number", bound("form", "f", { kind: "number" }, { optional: true }), 'type="number" step="any"'],
  ["a checkbox", bound("form", "f", { kind: "boolean" }), ""],
  ["a file", bound("form", "f", { kind: "blob" }), "required"],
  [
    "several",
    bound("form", "f", { ...text, limits: { max: 5 } }, { list: true }),
    'maxlength="10" pattern="[\\s\\S]{0,5}"',
  ],
])("{{attributes}} says what a browser has to know of %s", (_, field, attributes) => {
  expect(rendered('<input name="f" {{attributes "POST /join" "f"}}>', appOf(field))).toBe(
    `<input name="f" ${attributes}>`,
  );
});

test("a browser counts the characters of an input as the decoder does, and refuses nothing that it takes", () => {
  const control = fc.record({
    min: fc.nat(4),
    more: fc.nat(4),
    pattern: fc.constantFrom(undefined, "[a-z]+", "a|\\u{1F600}+"),
  });
  const typed = fc.string({ unit: fc.constantFrom("a", "b", "é", "\u{1F600}", "\u{1F1E9}"), maxLength: 9 });
  fc.assert(
    fc.property(control, typed, ({ min, more, pattern }, value) => {
      const limits = { min, max: min + more, ...(pattern !== undefined && { pattern }) };
      const input = rendered('<input {{attributes "POST /join" "f"}}>', appOf(bound("form", "f", { ...text, limits })));
      const written = /pattern="([^"]*)"/.exec(input)?.[1] ?? "";
      const longest = Number(/maxlength="(\d+)"/.exec(input)?.[1]);
      const fits = new RegExp(`^(?:${written})$`, "v").test(value) && value.length <= longest;
      expect(fits).toBe(missOf(value, compileLimits(limits)) === undefined);
    }),
    { numRuns: 300 },
  );
});

test("{{attributes}} gives each element what it can have", () => {
  expect(rendered('<textarea {{attributes "POST /join" "name"}}></textarea>', appOf(name))).toBe(
    '<textarea required minlength="2" maxlength="80"></textarea>',
  );
  expect(rendered('<select {{attributes "POST /join" "name"}}></select>', appOf(name))).toBe(
    "<select required></select>",
  );
});

test("{{attributes}} of what is not there is reported at its place", () => {
  const app = appOf(name, bound("header", "agent", text));
  expect([
    rendered('<input {{attributes "POST /jion" "name"}}>', app),
    rendered('<input {{attributes "POST /join" "nmae"}}>', app),
    rendered('<input {{attributes "POST /join" "agent"}}>', app),
    rendered('{{attributes "POST /join" "name"}}', app),
    rendered('<p {{attributes "POST /join" "name"}}>', app),
    rendered('<input value="{{attributes "POST /join" "name"}}">', app),
    rendered('<input {{attributes route "name"}}>', app),
    rendered('<input {{attributes "POST /join"}}>', app),
  ]).toMatchInlineSnapshot(`
    [
      "1:8 no endpoint has the route "POST /jion" (did you mean POST /join?)",
      "1:8 POST /join has no form field "nmae" (did you mean name?)",
      "1:8 POST /join has no form field "agent" (available: name)",
      "1:1 {{attributes}} is only allowed in an input, select or textarea, not between tags (write <input name="email" {{attributes "POST /join" "email"}}>)",
      "1:4 {{attributes}} is only allowed in an input, select or textarea, not inside the tag <p> (write <input name="email" {{attributes "POST /join" "email"}}>)",
      "1:15 {{attributes}} is only allowed in an input, select or textarea, not inside the value of value in <input> (write <input name="email" {{attributes "POST /join" "email"}}>)",
      "1:8 {{attributes}} takes a route and a field name, both as string literals (write <input name="email" {{attributes "POST /join" "email"}}>)",
      "1:8 {{attributes}} takes a route and a field name, both as string literals (write <input name="email" {{attributes "POST /join" "email"}}>)",
    ]
  `);
});

test("a template follows the types of its forms", () => {
  const source = '<input {{attributes "POST /join" "name"}}>';
  expect(rendered(source, appOf(name))).toContain("pattern");
  expect(rendered(source, appOf(bound("form", "name", text)))).toBe("<input >");
  expect(rendered(source, appOf())).toContain("has no form field");
  expect(rendered(source, appOf(name))).toContain("pattern");
});

describe("a form that is shown again", () => {
  const joinApp = (...fields: readonly BoundField[]): TemplateApp => {
    const settings = { signIn: false, private: false, invalid: true } as const;
    const join = endpoint("POST /join", "join", { request: request({ bound: fields, carries: "form" }), settings });
    return { packages: [{ name: "app", dir: "", service: "app", declarations: [join] }] };
  };
  const email = bound("form", "email", text);
  const secret = bound("form", "newPassword", text);

  test.each<[source: string, app: TemplateApp, problem: string]>([
    [
      '<p>{{value "POST /join" "email"}}</p>',
      appOf(email),
      "1:4 POST /join never shows a form again, so {{value}} is always empty (add invalid to the settings of its Page)",
    ],
    [
      '{{#if (errors "POST /join" "emial")}}!{{/if}}',
      joinApp(email),
      '1:1 POST /join has no form field "emial" (did you mean email?)',
    ],
    [
      '<input value="{{value "POST /join" "newPassword"}}">',
      joinApp(secret),
      "1:15 a password is never sent back to the browser (leave out the value of its input)",
    ],
    ['{{field "POST /join" "email"}}', joinApp(email), '1:1 {{field}} needs a label (add label="…", which users read)'],
    [
      '<p title="{{errors "POST /join" "email"}}">',
      joinApp(email),
      "1:11 HTML is only allowed between tags, not inside the value of title in <p> (move it between tags)",
    ],
  ])("is refused where it could show nothing: %s", (source, app, problem) => {
    expect(rendered(source, app)).toBe(problem);
  });

  test("has the id of its use, escaped, so that forms of a list differ", () => {
    const source = '{{field "POST /join" "email" label="Email" id=(concat "email-" "<1>\\"")}}';
    expect(rendered(source, joinApp(email))).toMatch(
      /^<label for="(email-&lt;1&gt;&quot;)">Email<\/label><input id="\1" name="email"/,
    );
  });

  test("has a select for literals, a textarea for rows, and no value of a password", () => {
    const size = bound("form", "size", { kind: "int", literals: [1, 2] });
    expect(rendered('{{field "POST /join" "newPassword" label="New" value="a"}}', joinApp(secret))).toBe(
      '<label for="newPassword">New</label><input type="password" id="newPassword" name="newPassword">',
    );
    expect(rendered('{{field "POST /join" "size" label="Size" value=2}}', joinApp(size))).toContain(
      '<option value="2" selected>2</option>',
    );
    expect(rendered('{{field "POST /join" "email" label="<" rows=3 value="\\n&"}}', joinApp(email))).toBe(
      '<label for="email">&lt;</label><textarea rows="3" id="email" name="email">\\n&amp;</textarea>',
    );
  });
});
