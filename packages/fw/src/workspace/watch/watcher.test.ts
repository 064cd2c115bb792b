import { renameSync, utimesSync, writeFileSync, mkdirSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { files, type Files } from "../testing/files.ts";
import { watchFiles, type Change } from "./watcher.ts";

interface WatchedFiles extends Disposable {
  /** The bursts so far. */
  readonly bursts: readonly (readonly string[])[];
  /** Resolves with the bursts once they satisfy `enough`. */
  next(enough: (seen: string[][]) => boolean): Promise<string[][]>;
}

function watch(app: Files): WatchedFiles {
  const bursts: string[][] = [];
  let wake = (): void => {};
  const watcher = watchFiles(
    app.root,
    (changes: Change[]) => {
      bursts.push(changes.map((change) => `${change.kind} ${relative(app.root, change.path)}`));
      wake();
    },
    (error) => {
      throw error;
    },
  );
  async function next(enough: (seen: string[][]) => boolean): Promise<string[][]> {
    while (!enough(bursts)) await new Promise<void>((resolve) => (wake = resolve));
    return bursts;
  }
  return { bursts, next, [Symbol.dispose]: () => watcher.close() };
}

/** Switches to fake timers, which the test advances. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Waits for two turns of the event loop, after which the watcher has seen all writes. */
async function seen(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await setImmediate();
}

const some = (seen: string[][]): boolean => seen.length > 0;

test("a save in place and an atomic save are each one change", async () => {
  using app = files({ "a.ts": "1", "b/b.ts": "1" });
  using watching = watch(app);
  writeFileSync(app.path("a.ts"), "2");
  expect(await watching.next(some)).toEqual([["changed a.ts"]]);
  writeFileSync(app.path("b/.b.ts.tmp123"), "2");
  renameSync(app.path("b/.b.ts.tmp123"), app.path("b/b.ts"));
  expect(await watching.next((seen) => seen.length === 2)).toEqual([["changed a.ts"], ["changed b/b.ts"]]);
});

test("an editor that moves the old file to a backup saves once", async () => {
  using app = files({ "a.ts": "1" });
  using watching = watch(app);
  renameSync(app.path("a.ts"), app.path("a.ts~"));
  writeFileSync(app.path("a.ts"), "2");
  rmSync(app.path("a.ts~"));
  expect(await watching.next(some)).toEqual([["changed a.ts"]]);
});

test("created, renamed and deleted directories are seen with what is in them", async () => {
  using app = files({ "a.ts": "1" });
  using watching = watch(app);
  mkdirSync(app.path("new/deep"), { recursive: true });
  writeFileSync(app.path("new/deep/x.ts"), "1");
  await watching.next((seen) => seen.flat().includes("created new/deep/x.ts"));
  renameSync(app.path("new"), app.path("moved"));
  await watching.next((seen) => seen.flat().includes("created moved/deep/x.ts"));
  writeFileSync(app.path("moved/deep/x.ts"), "22");
  await watching.next((seen) => seen.flat().includes("changed moved/deep/x.ts"));
  rmSync(app.path("moved"), { recursive: true });
  const seen = await watching.next((all) => all.flat().includes("deleted moved/deep/x.ts"));
  expect(seen.flat()).toContain("deleted new/deep/x.ts");
});

test("a directory replaced by one of the same name is watched on", async () => {
  using app = files({ "d/x.ts": "1", "d/same.ts": "1" });
  using watching = watch(app);
  rmSync(app.path("d"), { recursive: true });
  app.write({ "d/x.ts": "other" });
  await watching.next((seen) => seen.flat().includes("deleted d/same.ts"));
  writeFileSync(app.path("d/y.ts"), "1");
  await watching.next((seen) => seen.flat().includes("created d/y.ts"));
});

test("many files changed at once are one burst", async () => {
  const names = Array.from({ length: 200 }, (_, i) => `dir${i % 10}/f${i}.ts`);
  using app = files(Object.fromEntries(names.map((name) => [name, "1"])));
  using watching = watch(app);
  for (const name of names) writeFileSync(app.path(name), "22");
  const seen = await watching.next(some);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toHaveLength(200);
});

test("nothing is reported while git holds the work tree", async () => {
  using app = files({ "a.ts": "1", "b.ts": "1", ".git/index.lock": "" });
  using watching = watch(app);
  stopTime();
  writeFileSync(app.path("a.ts"), "2");
  await seen();
  // The lock outlives several debounces of the first file.
  vi.advanceTimersByTime(60);
  expect(watching.bursts).toEqual([]);
  writeFileSync(app.path("b.ts"), "2");
  app.remove(".git/index.lock");
  await seen();
  vi.advanceTimersByTime(60);
  expect(watching.bursts).toEqual([["changed a.ts", "changed b.ts"]]);
});

test("dependencies, dot directories, swap files and untouched content are no changes", async () => {
  using app = files({ "a.ts": "1", "node_modules/p/i.js": "1", ".fw/db": "1", ".env": "A=1" });
  using watching = watch(app);
  app.write({ "node_modules/p/i.js": "2", ".fw/db": "2", ".a.ts.swp": "1", "4913": "", "#a.ts#": "1" });
  utimesSync(app.root, new Date(), new Date());
  app.write({ ".env": "A=2" });
  expect(await watching.next(some)).toEqual([["changed .env"]]);
});

test("a file cut to nothing and written a moment later is seen whole", async () => {
  using app = files({ "a.ts": "1234" });
  using watching = watch(app);
  stopTime();
  writeFileSync(app.path("a.ts"), "");
  await seen();
  vi.advanceTimersByTime(10);
  expect(watching.bursts).toEqual([]);
  writeFileSync(app.path("a.ts"), "5678");
  await seen();
  vi.advanceTimersByTime(10);
  expect(watching.bursts).toEqual([["changed a.ts"]]);
});
