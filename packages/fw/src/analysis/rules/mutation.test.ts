import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";
import { examplesOf } from "../testing/rule-page.ts";
import { tries } from "../../lib/testing/tries.ts";

const bench = useAppBench();

const here = fileURLToPath(new URL(".", import.meta.url));
const apps = readdirSync(here, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md") && file !== "README.md")
  .flatMap((file) => examplesOf(readFileSync(join(here, file), "utf8")))
  .map(({ app }) => app);

/** Words of the applications and of the language, to insert at wrong positions. */
const words = (
  "API Page Site Service StatusPage Auth Role Policy RequireRole Secret Bucket Queue Topic Worker Subscribe Cron Job Runner Singleton Path Query Form Blob Int undefined null true const let export default await " +
  "( ) { } [ ] , ; : ? . ... => = < > | & + `${x}` '' 0 -1 1n /x/ async function class new " +
  '"/" "GET" {id} signIn allow maxAge maxAttempts deadline uploaded dead call import private domain social as satisfies unknown @d #x \\u{202e} 🙂'
).split(" ");

interface Edit {
  /** The position in the text, from 0 to 1. */
  readonly position: number;
  readonly kind: "drop" | "replace" | "insert" | "double";
  readonly word: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  position: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  kind: fc.constantFrom<Edit["kind"][]>("drop", "replace", "insert", "double"),
  word: fc.constantFrom(...words),
});

const token = /\s+|[\w$]+|"[^"\n]*"|[^\w\s]/g;

/** Edits one token of an application's source; the lines that name its files stay. */
function edited(app: string, { position, kind, word }: Edit): string {
  const lines = app.split("\n");
  const sources = [...lines.keys()].filter((index) => lines[index] !== "" && !lines[index]?.startsWith("-- "));
  const line = sources[Math.floor(position * sources.length)] ?? 0;
  const tokens = lines[line]?.match(token) ?? [""];
  const at = Math.floor(((position * sources.length) % 1) * tokens.length);
  const before = tokens[at] ?? "";
  const after = { drop: "", replace: word, insert: `${before} ${word} `, double: before + before }[kind];
  return lines.with(line, tokens.with(Math.min(at, tokens.length - 1), after).join("")).join("\n");
}

test("whatever is done to an application, the analysis answers with positions in its files", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...apps), fc.array(edit, { minLength: 1, maxLength: 4 }), async (app, edits) => {
      const source = edits.reduce(edited, app);
      for (const { at, code, message } of await bench.diagnose(source)) {
        expect(code, message).toMatch(/^(?:fw\/[a-z-]+|syntax|package)$/);
        expect(source).toContain(`-- ${at.path} --`);
        expect([at.line >= 1, at.column >= 1, at.endLine >= at.line]).toEqual([true, true, true]);
      }
    }),
    { numRuns: tries(100) },
  );
});
