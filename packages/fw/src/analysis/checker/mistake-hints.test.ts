import { expect, test } from "vitest";
import { writeTypedApp } from "../testing/typed-app.ts";
import { openChecker } from "./checker.ts";

async function hintsOf(source: string): Promise<readonly (readonly [string, string | undefined])[]> {
  await using app = await writeTypedApp(`-- a.ts --\n${source}`);
  const checker = openChecker(app.root);
  try {
    return (await checker.diagnostics()).map(({ message, hint }) => [message, hint]);
  } finally {
    await checker.close();
  }
}

test("a name of fw that is not imported gets its import as a hint", async () => {
  const source = `export const tasks = Entity<{ id: string }>("tasks");
export const due = (query: Query<string>): string => query;
export const app = newTestApp();
export const other = nobodyExportsThis;
`;
  expect(await hintsOf(source)).toEqual([
    ["Cannot find name 'Entity'", 'add: import { Entity } from "fw"'],
    ["Cannot find name 'Query'", 'add: import { type Query } from "fw"'],
    ["Cannot find name 'newTestApp'", 'add: import { newTestApp } from "fw/testing"'],
    ["Cannot find name 'nobodyExportsThis'", undefined],
  ]);
});

test("a handler with a request and a response as parameters gets the parameters of fw as a hint", async () => {
  const source = `import { API } from "fw";
export const hello = API("GET /hello", (req, res) => { res.send("hello"); });
`;
  expect(await hintsOf(source)).toEqual([
    [
      expect.stringMatching(/^Property 'send' does not exist/),
      "a handler takes (ctx, request) and returns the body of the response; describe the request with a type",
    ],
  ]);
});
