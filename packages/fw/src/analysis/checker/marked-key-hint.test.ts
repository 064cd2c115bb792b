import { expect, test } from "vitest";
import { applyEdits } from "../../workspace/fixes.ts";
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

/** Returns the hints for a module. If there are any, expects that their fixes remove all errors. */
async function hintsOf(code: string, expected = "ts7053"): Promise<readonly (string | undefined)[]> {
  const source = `${declared}${code}\nvoid LABELS;\n`;
  await using app = await writeTypedApp(`-- a.ts --\n${source}`);
  const checker = openChecker(app.root);
  try {
    const diagnostics = await checker.diagnostics();
    expect(diagnostics.filter(({ code: id }) => id !== expected)).toEqual([]);
    const hints = diagnostics.map(({ hint }) => hint);
    expect(diagnostics.map(({ fix }) => fix !== undefined)).toEqual(hints.map((hint) => hint !== undefined));
    if (hints.includes(undefined) || hints.length === 0) return hints;
    await app.write(
      "a.ts",
      applyEdits(
        source,
        diagnostics.flatMap(({ fix }) => fix?.edits ?? []),
      ),
    );
    checker.update({ changed: ["a.ts"] });
    expect(await checker.diagnostics()).toEqual([]);
    return hints;
  } finally {
    await checker.close();
  }
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

test("a key with a default gets the hint", async () => {
  expect(
    await hintsOf('export const label = (req: { status?: Query<Status> }): string => LABELS[req.status ?? "open"];'),
  ).toEqual(['name the plain type first, as in `const key: "open" | "paid" = …`, and index with it']);
});

test("a record over a marked type gets a hint that leads to code that passes", async () => {
  const code = `interface Order { status: Index<Status> }
const TITLES: Record<Order["status"], string> = { open: "Open", paid: "Paid" };
export const title = (order: Order): string => TITLES[order.status];`;
  expect(await hintsOf(code)).toEqual([
    "a marked type cannot be the key type of a Record: write Record<Status, string>, and index it with `const status: Status = order.status`",
  ]);
  const mended = code
    .replace('Record<Order["status"], string>', "Record<Status, string>")
    .replace("=> TITLES[order.status]", "=> { const status: Status = order.status; return TITLES[status]; }");
  expect(await hintsOf(mended)).toEqual([]);
});

test("an exhaustive switch over a marked type gets a hint that leads to code that passes", async () => {
  const title = (head: string, value: string): string =>
    `export function title(order: { status: Index<Status> }): string {
${head}
switch (${value}) { case "open": return LABELS.open; case "paid": return LABELS.paid; }
}`;
  expect(await hintsOf(title("", "order.status"), "ts2366")).toEqual([
    "name the plain type first, as in `const status: Status = order.status`, and switch on it",
  ]);
  expect(await hintsOf(title("const status: Status = order.status;", "status"))).toEqual([]);
});

test("a switch that lacks a case of a plain type gets no hint", async () => {
  const code = `export const title = (status: Status): string => { switch (status) { case "open": return LABELS.open; } };`;
  expect(await hintsOf(code, "ts2366")).toEqual([undefined]);
});

test("the fix writes the type behind the key, in parentheses where it has to", async () => {
  const code = `export const label = (req: { status?: Query<Status> }): string => LABELS[req.status ?? "open"];`;
  await using app = await writeTypedApp(`-- a.ts --\n${declared}${code}\n`);
  const checker = openChecker(app.root);
  const [diagnostic] = await checker.diagnostics();
  await checker.close();
  expect(diagnostic?.fix?.title).toBe('Convert the key to "open" | "paid"');
  expect(applyEdits(`${declared}${code}`, diagnostic?.fix?.edits ?? [])).toContain(
    'LABELS[(req.status ?? "open") as "open" | "paid"]',
  );
});

test("the fix is not offered for a type that the file does not know, nor for a record of another file", async () => {
  await using app = await writeTypedApp(`-- order.ts --
import type { Index } from "fw";
type Status = "open" | "paid";
export interface Order { status: Index<Status> }
export const TITLES: Record<Order["status"], string> = { open: "Open", paid: "Paid" };
-- a.ts --
import { TITLES, type Order } from "./order.ts";
const LABELS = { open: "Open", paid: "Paid" };
export const label = (order: Order): string => LABELS[order.status];
export const title = (order: Order): string => TITLES[order.status];
`);
  const checker = openChecker(app.root);
  const diagnostics = await checker.diagnostics();
  await checker.close();
  expect(diagnostics.map(({ code, hint, fix }) => [code, hint !== undefined, fix])).toEqual([
    ["ts7053", true, undefined],
    ["ts7053", true, undefined],
  ]);
});
