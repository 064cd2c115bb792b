import { describe, expect, test } from "vitest";
import { evaluate, problems, render, testPage } from "./testing/render.ts";
import { createTemplateCompiler } from "../templates.ts";

const en = {
  hello: "Hello {name}",
  cart: { items: { one: "{count} item on {at}", other: "{count} items on {at}" } },
};
const de = {
  hello: "Hallo {name}",
  cart: { items: { one: "{count} Artikel am {at}", other: "{count} Artikel am {at}" } },
};
const ru = {
  hello: "Привет, {name}",
  cart: { items: { one: "{count} товар {at}", few: "{count} товара {at}", other: "{count} товаров {at}" } },
};
const files = {
  "messages/en.json": JSON.stringify(en),
  "messages/de.json": JSON.stringify(de),
  "messages/ru.json": JSON.stringify(ru),
};
const at = new Date("2026-11-28T23:30:00Z");

function renderIn(source: string, data: unknown, language: string): string {
  const sources = Object.entries({ ...files, "t.html": source }).map(([name, text]) => ({ name, source: text }));
  const compiled = createTemplateCompiler()(sources);
  expect(compiled.diagnostics).toEqual([]);
  return evaluate(compiled)["t.html"]?.(data, { ...testPage, language: () => language }) ?? "";
}

describe("a template in languages", () => {
  test.each([
    ["en", 1, "1 item on Nov 28, 2026"],
    ["en", 1200, "1,200 items on Nov 28, 2026"],
    ["de", 1200, "1.200 Artikel am 28.11.2026"],
    ["ru", 3, "3 товара 28 нояб. 2026 г."],
    ["ru", 5, "5 товаров 28 нояб. 2026 г."],
  ])("has the plural of %s for %i, and numbers and dates as it writes them", (language, count, text) => {
    expect(renderIn('{{t "cart.items" count=n at=at}}', { n: count, at }, language).replaceAll(/\s/gu, " ")).toBe(text);
  });

  test("writes dates, times and numbers as the language does", () => {
    const source = `<html lang="{{@language}}">{{date at style="long" timeZone="Europe/Zurich"}}|{{time at timeZone="Europe/Zurich"}}|{{number n currency="EUR"}}|{{number share style="percent"}}|{{number n digits=1}}|{{date missing}}`;
    const data = { at, n: 1234.5, share: 0.25 };
    expect(renderIn(source, data, "en").replaceAll("\u202f", " ")).toBe(
      '<html lang="en">November 29, 2026|12:30 AM|€1,234.50|25%|1,234.5|',
    );
    expect(renderIn(source, data, "de").replaceAll("\u00a0", " ")).toBe(
      '<html lang="de">29. November 2026|00:30|1.234,50 €|25 %|1.234,5|',
    );
  });

  test("shows placeholders and patterns of replacements in a value as text", () => {
    for (const value of ["{count} {at} {name}", "$& $1 $` $'", "{__proto__}", "{{csrfToken}}", "one", "\\u003c"])
      expect(renderIn('<p>{{t "hello" name=v}}</p>', { v: value }, "en")).toBe(
        `<p>Hello ${value.replaceAll("&", "&amp;").replaceAll("'", "&#39;")}</p>`,
      );
    expect(renderIn('{{t "cart.items" count=n at=v}}', { n: 1, v: "{count}" }, "en")).toBe("1 item on {count}");
  });

  test("escapes values and texts of messages for the place in which they are", () => {
    const hostile = `"'><script>alert(1)</script>javascript:`;
    const html = renderIn(
      `<p title='{{t "hello" name=v}}' onclick="f({{t "hello" name=v}})">{{t "hello" name=v}}</p>`,
      { v: hostile },
      "en",
    );
    expect(html).not.toContain("<script>");
    expect(html).toContain("title='Hello &quot;&#39;&gt;&lt;script&gt;");
    const texts = {
      "messages/en.json": JSON.stringify({ a: "<img src=x onerror=alert(1)>", b: "javascript:alert(1)" }),
    };
    expect(render(`{{t "a"}}<a href="{{t "b"}}">x</a><script>const a = {{t "a"}};</script>`, {}, texts)).toBe(
      '&lt;img src=x onerror=alert(1)&gt;<a href="about:invalid#blocked">x</a><script>const a = "\\u003cimg src=x onerror=alert(1)\\u003e";</script>',
    );
    expect(renderIn('{{t "hello" name=v}}', { v: "{count} $& {name}" }, "de")).toBe("Hallo {count} $&amp; {name}");
  });

  test.each([
    ['{{t "helo" name=a}}', "1:1 there is no message helo | did you mean hello?"],
    [
      '{{t "zzzzzzz"}}',
      "1:1 there is no message zzzzzzz | add it to each file of templates/messages/, such as messages/en.json",
    ],
    ['{{t "hello"}}', '1:1 the message hello needs name= | pass it: {{t "hello" name=name}}'],
    ['{{t "cart.items" at=at}}', '1:1 the message cart.items needs count= | pass it: {{t "cart.items" count=count}}'],
    ['{{t "hello" name=a nam=b}}', "1:1 the message hello has no {nam} | add {nam} to its texts, or remove nam="],
    [
      "{{t key}}",
      '1:1 {{t}} takes the key of a message, as a string literal | write {{t "cart.items" count=items.length}}',
    ],
    ['{{date at style="wide"}}', /^1:1 \{\{date\}\} has invalid settings: .*style/],
    ['{{date at timeZone="Mars/Olympus"}}', /^1:1 \{\{date\}\} has invalid settings: .*Mars/],
    ['{{number n currency="euros"}}', /^1:1 \{\{number\}\} has invalid settings: .*euros/],
    ['{{number n style="currency"}}', /^1:1 \{\{number\}\} has invalid settings: Currency code/],
    ["{{number n digits=many}}", "1:1 the settings of {{number}} must be literals | "],
    ["{{time at now}}", "1:1 {{time}} takes one value | "],
    ["{{date at currency='EUR'}}", "1:1 {{date}} takes no currency= | "],
  ])("refuses %s", (source, expected) => {
    const [problem, ...more] = problems(source, files);
    expect(more).toEqual([]);
    if (typeof expected === "string") expect(problem?.slice(0, expected.length)).toBe(expected);
    else expect(problem).toMatch(expected);
  });

  test.each([
    [
      "a key that a language lacks",
      { "messages/de.json": '{ "hello": "Hallo {name}" }' },
      "messages/de.json:1:1 messages/de.json has no cart.items, which en.json has | translate it",
    ],
    [
      "a name that a language lacks",
      { "messages/de.json": JSON.stringify({ ...de, hello: "Hallo" }) },
      "messages/de.json:1:2 hello does not contain {name}, which it contains in another language | add {name} to the text",
    ],
    [
      "a value that is no text",
      { "messages/de.json": JSON.stringify({ ...de, more: [1] }) },
      /^messages\/de.json:1:\d\d+ the message more is not a string \| write a string, or /,
    ],
    [
      "text that is not JSON",
      { "messages/de.json": "{" },
      /^messages\/de.json:1:1 this is not valid JSON: .* \| a file of messages must be an object of strings/,
    ],
    [
      "a list",
      { "messages/de.json": "[]" },
      'messages/de.json:1:1 a file of messages must be an object | write { "cart": { "empty": "Your cart is empty" } }',
    ],
    [
      "a name that is no language",
      { "messages/german.json": JSON.stringify(de), "messages/de_DE.json": JSON.stringify(de) },
      "messages/de_DE.json:1:1 de_DE is not a language | name the file as the language is written in HTML: de.json, pt-BR.json",
    ],
  ])("refuses %s", (_, other, expected) => {
    const listed = problems("x", { ...files, ...(other as Record<string, string>) });
    if (typeof expected === "string") expect(listed).toContain(expected);
    else expect(listed).toContainEqual(expect.stringMatching(expected));
  });
});
