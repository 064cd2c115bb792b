import type { Diagnostic, Project } from "typescript/unstable/async";
import { expect, test } from "vitest";
import { askDiagnostics } from "./diagnostics.ts";

const paths = ["/a.ts", "/b.ts", "/c.ts"];

test("with a signal the next file is asked about when the last one is answered, and nothing once it is aborted", async () => {
  const { project, asked, answer } = server();
  const ending = new AbortController();
  const found = askDiagnostics(project, paths, () => true, ending.signal);
  await expect.poll(() => asked).toEqual(["/a.ts"]);
  answer();
  await expect.poll(() => asked).toEqual(["/a.ts", "/b.ts"]);
  ending.abort(new Error("given up"));
  answer();
  await expect(found).rejects.toThrow("given up");
  expect(asked).toEqual(["/a.ts", "/b.ts"]);
});

test("without a signal all files are asked about at once", async () => {
  const { project, asked, answer } = server();
  const found = askDiagnostics(project, paths, () => true, undefined);
  await expect.poll(() => asked).toEqual(paths);
  for (const _ of paths) answer();
  expect(await found).toEqual([]);
});

/** Creates a server. Each call of `answer` answers the oldest pending request. */
function server(): { readonly project: Project; readonly asked: readonly string[]; readonly answer: () => void } {
  const asked: string[] = [];
  const waiting: ((found: readonly Diagnostic[]) => void)[] = [];
  const program = {
    getSyntacticDiagnostics: async () => [],
    getSemanticDiagnostics: (path: string) => {
      asked.push(path);
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
  return { project: { program } as unknown as Project, asked, answer: () => waiting.shift()?.([]) };
}
