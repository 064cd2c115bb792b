import { describe, expect, test } from "vitest";
import { parseTemplate } from "./parse.ts";
import { readsOf, type Read, type Template } from "./reads.ts";

/**
 * Formats each read in `page.html` as `from > own`, with ` each` at the end for the subject of an `{{#each}}`. `[]` is an
 * item of a list; `?` is a starting value that the template computes.
 */
function reads(page: string, partials: Readonly<Record<string, string>> = {}): readonly string[] {
  const files = new Map(Object.entries({ page, ...partials }).map(([name, source]) => [name, parsed(name, source)]));
  const template = files.get("page");
  const found = template && readsOf(template, (name) => files.get(name));
  return (found ?? []).map(lines);
}

function parsed(name: string, source: string): Template {
  const file = { name: `${name}.html`, source };
  const result = parseTemplate(file);
  if (!("program" in result)) throw new Error(result.diagnostic.message);
  return { file, program: result.program };
}

function lines({ from, own, isIterated: looped }: Read): string {
  const text = (steps: readonly (string | null)[]): string => steps.map((step) => step ?? "[]").join(".");
  return `${from === undefined ? "?" : text(from)} > ${text(own)}${looped ? " each" : ""}`.trim();
}

describe("a template's reads", () => {
  test.each([
    ["values", "{{a}} {{b.c}} {{this.d}} {{./e}} {{[f g].h}}", ["> a", "> b.c", "> d", "> e", "> f g.h"]],
    ["indexes", "{{list.[0].name}}", ["> list.0.name"]],
    [
      "conditions and both branches",
      "{{#if a}}{{b}}{{else if c}}{{d}}{{else}}{{e}}{{/if}}",
      ["> a", "> c", "> e", "> d", "> b"],
    ],
    ["loops", "{{#each a.b}}{{c}}{{else}}{{d}}{{/each}}", ["> a.b each", "> d", "a.b.[] > c"]],
    ["loops in loops", "{{#each a}}{{#each this}}{{b}}{{/each}}{{/each}}", ["> a each", "a.[] >  each", "a.[].[] > b"]],
    ["with", "{{#with a}}{{b}}{{else}}{{c}}{{/with}}", ["> a", "> c", "a > b"]],
    [
      "scopes around",
      "{{#each a}}{{#with b}}{{../c}}{{../../d}}{{@root.e}}{{/with}}{{/each}}",
      ["> a each", "a.[] > b", "a.[] > c", "> d", "> e"],
    ],
    ["block parameters", "{{#each a as |b i|}}{{b.c}}{{i}}{{d}}{{/each}}", ["> a each", "a.[] > c", "a.[] > d"]],
    ["loop variables", "{{#each a}}{{@index}}{{@key}}{{@first}}{{/each}}", ["> a each"]],
    [
      "arguments of helpers",
      "{{#if (and a (eq b.c 1))}}{{concat d 'x'}}{{/if}}{{{e}}}",
      ["> a", "> b.c", "> d", "> e"],
    ],
    ["helpers without arguments", "{{csrf}}{{csrfToken}}{{this.csrf}}", ["> csrf"]],
    ["attributes", `<a href="{{a}}" {{#if b}}checked{{/if}}>`, ["> a", "> b"]],
    ["comments and literals", "{{! a }}{{!-- {{b}} --}}text {{'c'}}{{1}}", []],
    ["loops over helpers", "{{#each (or a b)}}{{c}}{{/each}}", ["> a", "> b", "? > c"]],
    ["names around that the template has none of", "{{../../a}}", ["? > a"]],
  ])("%s", (_what, template, expected) => {
    expect(reads(template)).toEqual(expected);
  });

  test("partials read what they are given, and nothing of the template around", () => {
    expect(reads("{{> card}}{{#each a}}{{> card b}}{{/each}}", { card: "{{c}}{{../d}}" })).toEqual([
      "> c",
      "? > d",
      "> a each",
      "a.[] > b",
      "a.[].b > c",
      "? > d",
    ]);
  });

  test("names that a partial is given come before its data", () => {
    expect(reads("{{> card a b=c.d e='x'}}", { card: "{{b.f}}{{e}}{{g}}{{#with b}}{{h}}{{/with}}" })).toEqual([
      "> a",
      "> c.d",
      "c.d > f",
      "? >",
      "a > g",
      "c.d >",
      "c.d > h",
    ]);
  });

  test("a template that uses itself is followed as far as it can tell anything", () => {
    const tree = "{{label}}{{#each children}}{{> tree}}{{/each}}";
    const lines = reads("{{> tree}}", { tree });
    expect(lines.slice(0, 4)).toEqual([
      "> label",
      "> children each",
      "children.[] > label",
      "children.[] > children each",
    ]);
    expect(lines.length).toBeLessThan(10);
  });

  test("the layout's content is no data, and in another template it is", () => {
    const layout = parsed("layout", "{{content}}");
    expect(readsOf(layout, () => undefined)).toEqual([]);
    expect(reads("{{content}}")).toEqual(["> content"]);
  });

  test("templates that use each other more often than anyone can follow are given up", () => {
    const names = Array.from({ length: 24 }, (_, index) => `p${index}`);
    const files = Object.fromEntries(
      names.map((name, index) => [name, `{{x}}{{> p${index + 1} a}}{{> p${index + 1} b}}`]),
    );
    const started = new Map(
      Object.entries({ ...files, p24: "{{x}}" }).map(([name, source]) => [name, parsed(name, source)]),
    );
    const first = started.get("p0");
    expect(first && readsOf(first, (name) => started.get(name))).toBeUndefined();
  });

  test("a read knows where it stands", () => {
    const [read] = readsOf(parsed("page", "<p>\n  {{note.title}}"), () => undefined) ?? [];
    expect(read?.loc.start).toEqual({ line: 2, column: 4 });
    expect(read?.source).toBe("note.title");
  });
});

test("the contents of slots read the data of the template that writes them, the component its arguments", () => {
  const card = `{{title}}{{slot}}{{#slot "x"}}{{title}}{{/slot}}{{#slot "y"}}{{title}}{{/slot}}`;
  const page = `{{#each list}}{{#> card title=../a}}{{b}}{{#slot "x"}}{{c.d}}{{/slot}}{{/card}}{{/each}}`;
  expect(reads(page, { card })).toEqual(["> list each", "> a", "a >", "list.[] > b", "list.[] > c.d", "a >"]);
});
