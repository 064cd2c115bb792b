import { afterAll, beforeAll, expect, test } from "vitest";
import { destinationsOf } from "../../model/declarations.ts";
import type { Analysis, Analyzer } from "../index.ts";
import { openAnalyzer } from "../index.ts";
import type { WrittenApp } from "../testing/app.ts";
import { corpus, corpusHead, corpusModules } from "../testing/schema-corpus.ts";
import { schemaText } from "../testing/schema-text.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

const queues = corpus.map(([type], index) => `export const case${index} = Queue<${type}>("case-${index}");`);

let app: WrittenApp;
let analyzer: Analyzer;
let analysis: Analysis;

beforeAll(async () => {
  const head = `import { Queue } from "fw";\n${corpusHead}`;
  app = await writeTypedApp(`${corpusModules}\n-- cases.ts --\n${head}${queues.join("\n")}\n`, ["zod"]);
  analyzer = openAnalyzer(app.root);
  analysis = await analyzer.analyze();
});

afterAll(async () => {
  analyzer?.close();
  await app?.[Symbol.asyncDispose]();
});

/** Prints the type of a message in the form of the corpus. */
function messageText(index: number): string {
  const destinations = analysis.app.packages.flatMap(destinationsOf);
  const message = destinations.find(({ declaration }) => declaration.variable === `case${index}`)?.message;
  return message ? schemaText(message) : "not read";
}

test("a message is read as the same type that a request or a response has", () => {
  const accepted = corpus.map(([type, expected], index) => ({ type, expected, index }));
  const wrong = accepted.filter(({ expected, index }) => {
    if (expected.startsWith("<")) return false;
    const text = messageText(index)
      .replaceAll(/[\w./-]*#/g, "")
      .replace(/\d+~/g, "~");
    return text !== expected && !expected.startsWith(`${text}, `);
  });
  expect(wrong.map(({ type, expected, index }) => `${type}: ${messageText(index)} against ${expected}`)).toEqual([]);
});

test("what cannot be sent is refused, with the same words", () => {
  const told = analysis.diagnostics.filter(({ code }) => code === "fw/wire-type").map(({ message }) => message);
  const refused = corpus.flatMap(([, expected]) => /^<([^<>]+)>$/.exec(expected)?.[1] ?? []);
  expect(refused).not.toEqual([]);
  expect(refused.filter((message) => !told.includes(message))).toEqual([]);
});
