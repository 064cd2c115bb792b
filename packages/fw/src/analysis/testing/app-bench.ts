import { afterAll, beforeAll } from "vitest";
import { printLine } from "../../cli/print/text.ts";
import type { Descriptions } from "../../model/descriptions.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { EntryUses } from "../../model/uses.ts";
import { openAnalyzer, type Analysis } from "../index.ts";
import type { FileChange } from "../source/project.ts";
import { filesOf } from "./app.ts";
import { writeTypedApp } from "./typed-app.ts";

/** Analyzes many small applications one after another. It is fast, because they share a directory and an analyzer. */
export interface AppBench {
  /** Replaces the application with the files in a text, in the format of `writeApp`. */
  analyze(text: string): Promise<Analysis>;
  /** Returns the findings of an application. */
  diagnose(text: string): Promise<readonly Diagnostic[]>;
  /** Returns the findings as lines of text. */
  print(text: string): Promise<string[]>;
  /** Returns the findings for `shop/shop.ts` as lines without its path. More files may follow in `source`. */
  printShop(source: string): Promise<string[]>;
  /** Returns the uses in the code of the last application. */
  uses(): Promise<readonly EntryUses[]>;
  /** Returns the descriptions in the source of the last application. */
  descriptions(): Promise<Descriptions>;
  close(): Promise<void>;
}

/** Creates a bench for the tests of a file or a `describe`. */
export function useAppBench(packages: readonly string[] = []): AppBench {
  let bench: AppBench;
  beforeAll(async () => {
    bench = await openAppBench(packages);
  });
  afterAll(() => bench.close());
  return {
    analyze: (text) => bench.analyze(text),
    diagnose: (text) => bench.diagnose(text),
    print: (text) => bench.print(text),
    printShop: (source) => bench.printShop(source),
    uses: () => bench.uses(),
    descriptions: () => bench.descriptions(),
    close: () => bench.close(),
  };
}

/** Opens a bench. `packages` are the packages besides fw that the applications import. */
export async function openAppBench(packages: readonly string[] = []): Promise<AppBench> {
  const app = await writeTypedApp("", packages);
  const analyzer = openAnalyzer(app.root);
  let files: ReadonlyMap<string, string> = new Map();
  await analyzer.analyze();

  async function analyze(text: string): Promise<Analysis> {
    const next = filesOf(text);
    for (const path of files.keys()) if (!next.has(path)) await app.remove(topOf(path, next));
    for (const [path, content] of next) await app.write(path, content);
    const changes = changesBetween(files, next);
    files = next;
    return analyzer.update(changes);
  }
  const print = async (text: string): Promise<string[]> => (await analyze(text)).diagnostics.map(printLine);
  return {
    analyze,
    print,
    printShop: async (source) =>
      (await print(`-- shop/shop.ts --\n${source}`)).map((line) => line.replace(/^shop\/shop\.ts:/, "")),
    diagnose: async (text) => (await analyze(text)).diagnostics,
    uses: () => analyzer.uses(),
    descriptions: () => analyzer.descriptions(),
    close: async () => {
      analyzer.close();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Returns the outermost directory of a removed file that contains no new file. */
function topOf(path: string, next: ReadonlyMap<string, string>): string {
  const names = path.split("/");
  const dirs = names.map((_, depth) => names.slice(0, depth + 1).join("/"));
  return dirs.find((dir) => ![...next.keys()].some((other) => other === dir || other.startsWith(`${dir}/`))) ?? path;
}

function changesBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): FileChange[] {
  const gone = [...before.keys()].filter((path) => !after.has(path));
  return [
    ...gone.map((path): FileChange => ({ path, kind: "deleted" })),
    ...Array.from(after.keys(), (path): FileChange => ({ path, kind: before.has(path) ? "changed" : "created" })),
  ];
}
