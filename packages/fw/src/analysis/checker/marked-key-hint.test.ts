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

const declared = `import type { Index, Query, Unique } from "fw";
export type Status = "open" | "paid";
const LABELS = { open: "Open", paid: "Paid" };
`;

async function hintsOf(code: string): Promise<readonly (string | undefined)[]> {
  await using app = await writeTypedApp(`-- a.ts --\n${declared}${code}\nvoid LABELS;\n`);
  const checker = openChecker(app.root);
  const diagnostics = await checker.diagnostics();
  await checker.close();
  expect(diagnostics.filter(({ code: id }) => id !== "ts7053")).toEqual([]);
  return diagnostics.map(({ hint }) => hint);
}

test.each([
  ["an alias", "(req: { status: Query<Status> }): string => LABELS[req.status]", "status: Status = req.status"],
  [
    "an optional field",
    '(req: { status?: Query<Status> }): string => (req.status === undefined ? "" : LABELS[req.status])',
    "status: Status = req.status",
  ],
  [
    "an optional field that is asserted",
    "(req: { status?: Query<Status> }): string => LABELS[req.status!]",
    "status: Status = req.status!",
  ],
  ["a default", '({ status = "open" }: { status?: Query<Status> }): string => LABELS[status]', "key: Status = status"],
  ["a Unique", "(row: { status: Unique<Status> }): string => LABELS[row.status]", "status: Status = row.status"],
  [
    "a nullable Index",
    '(row: { status: Index<Status> | null }): string => (row.status === null ? "" : LABELS[row.status])',
    "status: Status = row.status",
  ],
  [
    "one literal that a condition left",
    '(row: { status: Index<Status> }): string => (row.status === "open" ? LABELS[row.status] : "")',
    'status: "open" = row.status',
  ],
])("the hint is given for %s, and leads to code that passes", async (_what, code, constant) => {
  expect(await hintsOf(`export const label = ${code};`)).toEqual([
    `name the plain type first, as in \`const ${constant}\`, and index with it`,
  ]);
  const [name = "", , value = ""] = constant.split(/: | = /);
  const mended = code.replace(`LABELS[${value}]`, `((${constant.replace(/ = .*/, "")}) => LABELS[${name}])(${value})`);
  expect(await hintsOf(`export const label = ${mended};`)).toEqual([]);
});

test.each([
  ["a key without literals", "(row: { status: Index<string> }): string => LABELS[row.status]"],
  ["a key that the object lacks", '(row: { status: Index<"open" | "lost"> }): unknown => ({ open: 1 })[row.status]'],
])("the hint is not given for %s", async (_what, code) => {
  expect(await hintsOf(`export const label = ${code};`)).toEqual([undefined]);
});
