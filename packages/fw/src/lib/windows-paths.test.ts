import type * as path from "node:path";
import { expect, test, vi } from "vitest";

// Makes every module below compute with Windows paths, on any system.
vi.mock("node:path", async (importOriginal) => {
  const { win32 } = await importOriginal<typeof path>();
  return { ...win32, default: win32 };
});

const { relativePath, withForwardSlashes } = await import("./relative-path.ts");
const { withSearchPath } = await import("./search-path.ts");
const { sourceName } = await import("../build/source-name.ts");
const { failureDiagnostic } = await import("../dev/problems.ts");
const { sortChanges } = await import("../workspace/changes.ts");
const { isEvaluated } = await import("../workspace/module-resolver.ts");
const { ignoredDirectory, ignoredFile } = await import("../workspace/watch/ignore.ts");

const root = String.raw`C:\Users\ada\shop`;

test("diagnostics and specifiers name files with forward slashes", () => {
  expect(relativePath(root, String.raw`C:\Users\ada\shop\orders\orders.ts`)).toBe("orders/orders.ts");
  expect(withForwardSlashes(String.raw`orders\lib\total.ts`)).toBe("orders/lib/total.ts");
  const at = { path: String.raw`C:\Users\ada\shop\orders\orders.ts`, line: 3, column: 1 };
  expect(failureDiagnostic({ message: "wrong", at }, root, () => undefined)?.at.path).toBe("orders/orders.ts");
  const other = { path: String.raw`C:\Users\ada\shop2\orders.ts`, line: 3, column: 1 };
  expect(failureDiagnostic({ message: "wrong", at: other }, root, () => undefined)).toBeUndefined();
});

test("source maps name the modules of the application and of packages, also on another drive", () => {
  expect(sourceName(root, String.raw`C:\Users\ada\shop\orders\orders.ts`)).toBe("../../../../orders/orders.ts");
  const pg = String.raw`C:\Users\ada\shop\node_modules\pg\index.js`;
  expect(sourceName(root, pg)).toBe("../../../../node_modules/pg/index.js");
  const linked = String.raw`D:\lib\node_modules\pg\index.js`;
  expect(sourceName(root, linked)).toBe("../../../../node_modules/pg/index.js");
  expect(sourceName(root, String.raw`C:\Users\ada\shop\fw:routes`)).toBe("../../../../fw:routes");
});

test("a save is sorted by what it affects", () => {
  const saved = (path: string) => ({ path: `${root}\\${path}`, kind: "changed" as const });
  const names = [".env", "package.json", String.raw`web\public\templates\home.html`, String.raw`web\public\app.css`];
  const changes = [...names, String.raw`web\site.ts`].map(saved);
  const sorted = sortChanges(changes, root, [String.raw`C:\Users\ada\shop\web\public`]);
  expect(sorted).toEqual({
    all: changes,
    environment: true,
    project: true,
    templates: [changes[2]],
    assets: [changes[3]],
    modules: [changes[4]],
  });
});

test("fw compiles modules of the application and leaves installed packages to Node", () => {
  expect(isEvaluated(root, String.raw`C:\Users\ada\shop\orders\orders.ts`)).toBe(true);
  expect(isEvaluated(root, String.raw`C:\Users\ada\shop\orders\total.js`)).toBe(true);
  expect(isEvaluated(root, String.raw`C:\Users\ada\shop2\total.js`)).toBe(false);
  expect(isEvaluated(root, String.raw`C:\Users\ada\shop\node_modules\pg\index.js`)).toBe(false);
});

test("the watcher ignores installed packages, hidden directories and temporary files", () => {
  expect(ignoredDirectory(String.raw`C:\Users\ada\shop\node_modules`)).toBe(true);
  expect(ignoredDirectory(String.raw`C:\Users\ada\shop\.git`)).toBe(true);
  expect(ignoredDirectory(String.raw`C:\Users\ada\shop\orders`)).toBe(false);
  expect(ignoredFile(String.raw`C:\Users\ada\shop\orders\orders.ts~`)).toBe(true);
  expect(ignoredFile(String.raw`C:\Users\ada\shop\orders\orders.ts`)).toBe(false);
});

test("commands are looked up in further directories first, by the name that the environment has for its path", () => {
  const bins = [String.raw`C:\shop\node_modules\.bin`];
  expect(withSearchPath({ Path: String.raw`C:\Windows`, A: "1" }, bins)).toEqual({
    Path: String.raw`C:\shop\node_modules\.bin;C:\Windows`,
    A: "1",
  });
  expect(withSearchPath({}, bins)).toEqual({ PATH: bins[0] });
});
