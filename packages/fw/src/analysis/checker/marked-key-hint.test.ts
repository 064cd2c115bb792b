import { expect, test } from "vitest";
import { writeTypedApp } from "../testing/typed-app.ts";
import { openChecker } from "./checker.ts";

test.each([
  ["Query", `"open" | "paid"`, "status"],
  ["Index", `"open" | "paid"`, "status"],
  ["Header", `"open" | "paid", "X-Status"`, "status"],
])("a record indexed by a %s gets a hint that names the plain type", async (marker, argument) => {
  const source = `import type { ${marker} } from "fw";
const LABELS = { open: "Open", paid: "Paid" };
export const label = (req: { status: ${marker}<${argument}> }): string => LABELS[req.status];
export const plain = (req: { status: ${marker}<${argument}> }): string => {
  const status: "open" | "paid" = req.status;
  return LABELS[status];
};
`;
  await using app = await writeTypedApp(`-- a.ts --\n${source}`);
  const checker = openChecker(app.root);
  const diagnostics = await checker.diagnostics();
  await checker.close();
  expect(diagnostics).toMatchObject([
    {
      code: "ts7053",
      hint: 'name the plain type first, as in `const status: "open" | "paid" = req.status`, and index with it',
    },
  ]);
});
