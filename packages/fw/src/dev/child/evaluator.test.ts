import { afterEach, expect, test } from "vitest";
import type { Bundle } from "../../runtime/bundle.ts";
import { Workspace } from "../../workspace/workspace.ts";
import { emptySnapshot, type Snapshot } from "../../workspace/snapshot.ts";
import { deltaBetween, type Saved } from "../protocol.ts";
import { files, type Files } from "../../workspace/testing/files.ts";
import { Evaluator } from "./evaluator.ts";

const native: unknown = Reflect.get(Error, "prepareStackTrace");
afterEach(() => void Reflect.set(Error, "prepareStackTrace", native));

const hello = (word: string): Record<string, string> => ({
  "app/hello.ts": `import { API } from "fw"; import { word } from "../lib/word.ts";
export const hello = API("POST /", (_ctx, req: { ${word}: number }): { handler: string } => ({ handler: "${word}", lib: word, req }));`,
  "lib/word.ts": `export const word = "${word}";`,
});

/** The analysis and the evaluation of the dev loop, which a test runs step by step. */
class Halves implements Disposable {
  readonly #app: Files = files({ "package.json": `{ "name": "app", "type": "module" }`, ...hello("one") });
  readonly #workspace = new Workspace({ root: this.#app.root, env: {} });
  #evaluator = new Evaluator(this.#app.root, false);
  #known: Snapshot = emptySnapshot;
  #bundle: Bundle | undefined;
  readonly #paths: readonly string[] = Object.keys(hello("")).map((name) => this.#app.path(name));

  save(word: string): void {
    this.#app.write(hello(word));
  }

  /** Announces a saved file before its analysis. */
  ahead(): void {
    this.#evaluator.ahead(this.#paths);
  }

  /** Prepares the sources on disk and a snapshot's generated modules, as before the first load. */
  prepare({ files: generated }: Pick<Snapshot, "files">): void {
    this.#evaluator.prepare({ sources: this.#paths, files: generated });
    this.#known = { ...emptySnapshot, files: generated };
  }

  async analyse(): Promise<Snapshot> {
    const changes = this.#paths.map((path) => ({ path, kind: "changed" as const }));
    const workspace = this.#workspace;
    const { diagnostics } = await (this.#bundle ? workspace.update(workspace.classify(changes)) : workspace.read());
    const snapshot = workspace.snapshot();
    if (snapshot === undefined) throw new Error(JSON.stringify(diagnostics));
    return snapshot;
  }

  /** Simulates a new process of the application. */
  restart(): void {
    this.#evaluator = new Evaluator(this.#app.root, false);
    this.#known = emptySnapshot;
  }

  /** Makes a snapshot live; `meanwhile` runs once loading has begun. */
  async load(snapshot: Snapshot, meanwhile?: () => void): Promise<void> {
    const saved: Saved = { changed: this.#paths, pathsChanged: false };
    const never = new AbortController().signal;
    const loading = this.#evaluator.load(deltaBetween(this.#known, snapshot, saved), never);
    this.#known = snapshot;
    meanwhile?.();
    const { bundle, commit } = await loading;
    commit();
    this.#bundle = bundle;
  }

  /** Sends a request with the body `{ [word]: 1 }`; a decoder for another word refuses it. */
  ask(word: string): unknown {
    const [endpoint] = this.#bundle?.endpoints ?? [];
    if (endpoint === undefined) throw new Error("nothing answers yet");
    const request = endpoint.decode({ params: [], query: "", body: { [word]: 1 }, form: undefined, fields: undefined });
    return endpoint.declaration.handler(undefined as never, request as never);
  }

  [Symbol.dispose](): void {
    this.#workspace.close();
    this.#app[Symbol.dispose]();
  }
}

const all = (word: string): unknown => ({ handler: word, lib: word, req: { [word]: 1 } });

test("a save between the analysis and the load waits for its own analysis, at the start as after a change", async () => {
  using halves = new Halves();
  const first = await halves.analyse();
  halves.save("two");
  await halves.load(first);
  expect(halves.ask("one")).toEqual(all("one"));
  const second = await halves.analyse();
  halves.save("three");
  await halves.load(second);
  expect(halves.ask("two")).toEqual(all("two"));
  await halves.load(await halves.analyse());
  expect(halves.ask("three")).toEqual(all("three"));
});

test("what was prepared ahead of its analysis is no part of a load of what was there before", async () => {
  using halves = new Halves();
  await halves.load(await halves.analyse());
  halves.save("two");
  const second = await halves.analyse();
  halves.save("three");
  halves.ahead();
  await halves.load(second, () => {
    halves.save("four");
    halves.ahead();
  });
  expect(halves.ask("two")).toEqual(all("two"));
  await halves.load(await halves.analyse());
  expect(halves.ask("four")).toEqual(all("four"));
});

test("a first load runs its snapshot, whatever was prepared before", async () => {
  using halves = new Halves();
  const first = await halves.analyse();
  halves.save("two");
  halves.prepare(first);
  await halves.load(first);
  expect(halves.ask("one")).toEqual(all("one"));
  halves.restart();
  halves.prepare(first);
  halves.save("three");
  await halves.load(await halves.analyse());
  expect(halves.ask("three")).toEqual(all("three"));
});

test("a new process runs what was analysed last, whatever was saved since", async () => {
  using halves = new Halves();
  const snapshot = await halves.analyse();
  await halves.load(snapshot);
  halves.save("two");
  halves.restart();
  await halves.load(snapshot);
  expect(halves.ask("one")).toEqual(all("one"));
});
