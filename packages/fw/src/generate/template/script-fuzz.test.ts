import * as fc from "fast-check";
import { parseSync } from "rolldown/utils";
import { expect, test } from "vitest";
import { compile, evaluate, testPage } from "./testing/render.ts";
import { tries } from "../../lib/testing/tries.ts";

/** Pieces of scripts with ambiguous slashes, quotes and comments. */
const pieces = [
  ..."if (a) |while (0) |for (;0;) |(a)|f(a)|[a]|{|}|{a: 2}|x = |a|a.of|a.if(b)|a.return|return |of |yield |await |typeof ".split(
    "|",
  ),
  ..."/|/ 2;|/x/.test(a);|/[/'\"]/.test(a);|/'/g|/\\//|++|--|+|!|;|,|\n|\r\n|//|/*|*/|*| -->|-->|<!|--|<!--|5. |`|${|'|\"|\\".split(
    "|",
  ),
  ..."var s = \"/\"; |var t = '\"'; |'\\'' ; |() => |function f() {}|<|\\\n|\u2028| |x".split("|"),
];
const values = [
  "{{p}}",
  '"{{p}}"',
  "'{{p}}'",
  "f({{p}});",
  "`{{p}}`",
  "/{{p}}/",
  "// {{p}}\n",
  "/* {{p}} */",
  "\\{{p}}",
];
const blocks = ["{{#if c}}", "{{else}}", "{{/if}}", "{{#each l}}", "{{/each}}", "{{> part}}"];

/**
 * The parts of a script, in order: tokens before a slash, spaces, the slash, quotes that depend on its reading, a use
 * of the value, and the end.
 */
const before =
  "x = {a: 2}|x = {}|{}|if (a)|while (0)|(a)|f(a)|a.of|a.if(b)|a.return|a++|++|5.|/x/g|a]|function f() {}|a".split("|");
const spaces = ["", " ", "\n"];
const slashes = ["/ 2; ", "/['\"]/.test(a); ", "/'/g; ", '/"/; ', "/ a / ", "/ 2 "];
const quotes = ["", 'var s = "/"; ', "var s = '/'; ", "\n", "'", '"/'];
const uses = ['x = "{{p}}"', "x = '{{p}}'", "x = {{p}}", "f({{p}})"];
const ends = ["", "\n", ";", "'", '"', "/"];

const hostile = [
  "",
  "canary(1)",
  "-canary(1)-",
  "';canary(1)//",
  '";canary(1)//',
  "\ncanary(1)//",
  "*/canary(1)/*",
  "/canary(1)/",
  "`${canary(1)}`",
  "\\",
  "/",
  "--> canary(1)",
  "!--<script>",
  "</script><script>canary(1)</script>",
  "\u2028canary(1)",
];

const scriptTries = tries(250);

test("whatever the script, no value becomes code in it", () => {
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...pieces) },
    { weight: 3, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: fc.constantFrom(...blocks) },
  );
  const free = fc.array(piece, { minLength: 2, maxLength: 9 });
  const shaped = fc.tuple(...[before, spaces, slashes, quotes, uses, ends].map((some) => fc.constantFrom(...some)));
  const scripts: readonly string[][] = fc.sample(fc.oneof(free, shaped), { numRuns: scriptTries, seed: 29 });
  const sources = scripts.map((parts) => parts.join("")).filter((source) => source.includes("{{p}}"));
  const judged = sources.flatMap((source) => judge(source));
  expect(judged.filter(({ changed }) => changed)).toEqual([]);
  expect(judged.length).toBeGreaterThan(scriptTries / 50);
});

interface Judged {
  readonly source: string;
  /** True if a hostile value changes the program. */
  readonly changed: boolean;
}

/** A position for a script: a template, and a function that extracts the script. */
interface Place {
  readonly template: (script: string) => string;
  readonly scriptIn: (html: string) => string;
}

const handler = '<b onclick="';

const places: readonly Place[] = [
  {
    template: (script) => `<script>${script}</script>`,
    // Cut off the text at the end of the element, as the browser does.
    scriptIn: (html) => html.slice("<script>".length, html.search(/<\/script[\s/>]/i)),
  },
  {
    template: (script) => `${handler}${script.replaceAll('"', "&quot;")}">`,
    scriptIn: (html) => unescaped(html.slice(handler.length, html.lastIndexOf('">'))),
  },
];

function unescaped(value: string): string {
  const characters: Readonly<Record<string, string>> = { quot: '"', "#39": "'", lt: "<", gt: ">", amp: "&" };
  return value.replace(/&(quot|#39|lt|gt|amp);/g, (reference, name: string) => characters[name] ?? reference);
}

/**
 * Judges the script in each place where the compiler accepts it. Omits invalid scripts, unless a hostile value becomes
 * code.
 */
function judge(source: string): Judged[] {
  return places.flatMap(({ template, scriptIn }) => {
    const compiled = compile({ "t.html": template(source), "part.html": "a / {{p}}" });
    if (compiled.diagnostics.length > 0) return [];
    const page = evaluate(compiled)["t.html"];
    return [true, false].flatMap((c) => {
      const shapeWith = (p: string) => shapeOf(scriptIn(page?.({ p, c, l: [{ p }, { p }] }, testPage) ?? ""));
      const [harmless, ...shapes] = ["x", ...hostile].map(shapeWith);
      const runs = harmless !== undefined;
      const changed = shapes.some(
        (shape) => shape !== undefined && (runs ? shape !== harmless : shape.includes("canary")),
      );
      return runs || changed ? [{ source, changed }] : [];
    });
  });
}

/** Returns the program with its strings emptied; undefined if it does not parse. */
function shapeOf(script: string): string | undefined {
  const { program, errors } = parseSync("script.js", script, { sourceType: "script" });
  if (errors.length > 0) return undefined;
  return JSON.stringify(program.body, (key, value: unknown) => {
    if (key === "start" || key === "end") return undefined;
    return typeof value === "object" && value !== null && "directive" in value
      ? { ...value, directive: "" }
      : withoutText(key, value);
  });
}

function withoutText(key: string, value: unknown): unknown {
  const isString = typeof value === "object" && value !== null && "type" in value && value.type === "Literal";
  return isString && "value" in value && typeof value.value === "string"
    ? { type: "string" }
    : key === "raw"
      ? undefined
      : value;
}
