import { expect, test, vi } from "vitest";
import { openChecker } from "../checker/checker.ts";
import { openProject } from "../source/project.ts";
import { writeApp } from "../testing/app.ts";
import { updateDeclarations } from "./update.ts";

/** Counts the readings that an edit of `shared.ts` needs, in an application with 40 modules that import it. */
async function readingsAfter(before: string, after: string): Promise<number> {
  const importers = Array.from(
    { length: 40 },
    (_, n) => `-- p${n}.ts --
import { API } from "fw";
import { value } from "./shared.ts";
export const seen = value;
export const get = API("GET /p${n}", (): string => "a");
`,
  );
  await using app = await writeApp(
    `-- package.json --\n{ "name": "app", "type": "module" }\n-- shared.ts --\n${before}\n${importers.join("")}`,
  );
  const project = openProject(app.root);
  const checker = openChecker(app.root);
  try {
    const modules = await updateDeclarations(project, checker, new Map(), new Set());
    await app.write("shared.ts", after);
    const changed = project.update([{ path: "shared.ts", kind: "changed" }]);
    if (changed === "all") throw new Error("the edit affects every file");
    const observe = vi.spyOn(project, "observe");
    await updateDeclarations(project, checker, modules, changed);
    return observe.mock.calls.length;
  } finally {
    await checker.close();
  }
}

test("an edit of a constant rereads no module that imports it", async () => {
  expect(await readingsAfter("export const value = 1;", "export const value = 2;")).toBeLessThan(5);
});

test.each([
  ["becomes an alias", "export const value = 1;", 'import { API } from "fw";\nexport const value = API;'],
  ["stops being an alias", 'import { API } from "fw";\nexport const value = API;', "export const value = 1;"],
  ["comes from another module", "export const value = 1;", 'export { API as value } from "fw";'],
])("an edit after which a constant %s rereads the modules that import it", async (_what, before, after) => {
  expect(await readingsAfter(before, after)).toBeGreaterThan(40);
});
