import { expect, test } from "vitest";
import { endpointsOf } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();
const imports = `
import { API } from "fw";
import type { Email, Int, Max, MaxItems, MaxLength, Min, MinItems, MinLength, Pattern, Query, Url } from "fw";
export type Loose<T> = { [K in keyof T]: T[K] };
export type Title = string & MinLength<1> & MaxLength<200>;
`;

const cases: readonly (readonly [type: string, schema: unknown])[] = [
  ["Title", { kind: "string", limits: { min: 1, max: 200 } }],
  ["string & MaxLength<5> & Email", { kind: "string", limits: { max: 5, format: "email" } }],
  [
    String.raw`string & Pattern<"^[\\w-]{2,}$"> & MaxLength<5>`,
    { kind: "string", limits: { max: 5, pattern: String.raw`[\w\-]{2,}` } },
  ],
  ["string & Url", { kind: "string", limits: { format: "url" } }],
  ["Int & Min<-1> & Max<1.5>", { kind: "int", limits: { min: -1, max: 1.5 } }],
  ["number & Max<0>", { kind: "number", limits: { max: 0 } }],
  [
    "(string & MaxLength<2>)[] & MaxItems<3>",
    { kind: "array", items: { kind: "string", limits: { max: 2 } }, limits: { max: 3 } },
  ],
  ["readonly Int[] & MinItems<1>", { kind: "array", items: { kind: "int" }, limits: { min: 1 } }],
  [
    "(string & MinLength<2>) | null",
    { kind: "union", variants: [{ kind: "string", limits: { min: 2 } }, { kind: "null" }] },
  ],
  [
    '"" | (string & MinLength<2>)',
    {
      kind: "union",
      variants: [
        { kind: "literal", value: "" },
        { kind: "string", limits: { min: 2 } },
      ],
    },
  ],
];

test.each(
  cases.flatMap(([type, schema]): [string, string, unknown][] => [
    [type, `{ f: ${type} }`, schema],
    [`${type}, through the checker`, `Loose<{ f: ${type} }>`, schema],
  ]),
)("constraints are known by syntax and by TypeScript alike: %s", async (_, type, schema) => {
  const { app, diagnostics } = await bench.analyze(
    `-- shop/shop.ts --${imports}export const x = API("POST /x", (_ctx, req: ${type}) => String(req.f));\n`,
  );
  expect(diagnostics).toEqual([]);
  const [endpoint] = app.packages.flatMap(endpointsOf);
  const found = endpoint?.request.body[0]?.schema;
  const variants = (of: unknown): unknown =>
    (of as { variants?: unknown[] }).variants?.map((each) => JSON.stringify(each)).toSorted() ?? of;
  expect(variants(found)).toEqual(variants(schema));
});

test.each([
  ["number & MaxLength<5>", "MaxLength applies only to strings (fw/wire-type)"],
  ["MaxLength<5>", "MaxLength applies only to strings (fw/wire-type)"],
  ["{ a: 1 } & MinItems<5>", "MinItems applies only to lists (fw/wire-type)"],
  ['("a" | "b") & MaxLength<5>', "MaxLength applies only to strings (fw/wire-type)"],
  ["string & MaxLength<-1>", "MaxLength takes a whole number of 0 or more (fw/wire-type)"],
  ["string & MaxLength<number>", "MaxLength takes a whole number of 0 or more (fw/wire-type)"],
  ["Int & Min<5> & Max<4>", "no value is at least 5 and at most 4 (fw/wire-type)"],
  [
    'string & Pattern<"(a)\\\\1">',
    "the pattern (a)\\1 cannot be used: at character 4: references to groups are not supported (fw/wire-type)",
  ],
  [
    'string & Pattern<"a+(?=b)">',
    "the pattern a+(?=b) cannot be used: at character 3: look-aheads are not supported: list",
  ],
  ['string & Pattern<".*x.{12}">', "cannot be used: it takes more than 1000 states to match it in one pass"],
  ['string & Pattern<"\\d+">', "a string literal drops the backslash of \\d: write \\\\d (fw/wire-type)"],
  ["string & Pattern<string>", "Pattern takes one string literal (fw/wire-type)"],
  ['string & Pattern<"a"> & Pattern<"b">', "a string can have only one Pattern (fw/wire-type)"],
  [
    'string & Pattern<"a{3}"> & MaxLength<2>',
    "no string that matches the pattern a{3} has an allowed length (fw/wire-type)",
  ],
  ['Int & Pattern<"1">', "Pattern applies only to strings (fw/wire-type)"],
  [
    'Query<string & Pattern<"(">>',
    '"f": the pattern ( cannot be used: at character 1: "(" is not closed (fw/bind-type)',
  ],
  ["string & Email & Url", "no string is both an email address and a URL (fw/wire-type)"],
  ["Query<boolean & Min<1>>", '"f": Min applies only to numbers (fw/bind-type)'],
  ["Query<string[] & MaxLength<5>>", '"f": MaxLength applies only to strings (fw/bind-type)'],
])("a constraint on what cannot carry it is refused at its line: %s", async (type, sentence) => {
  const lines = await bench.printShop(
    `${imports.trim()}\nexport const x = API("POST /x", (_ctx, req: { f: ${type} }) => typeof req);\n`,
  );
  expect(lines).toEqual([expect.stringMatching(/^5:/)]);
  expect(lines[0]).toContain(sentence);
});

test("bound fields, their lists included, carry constraints", async () => {
  const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --${imports}
export interface Req { limit?: Query<Int & Min<1> & Max<100>>; tag: Query<(string & MaxLength<5>)[] & MaxItems<2>> }
export const x = API("GET /x", (_ctx, req: Req) => req.tag.length + (req.limit ?? 0));
`);
  expect(diagnostics).toEqual([]);
  const bound = app.packages.flatMap(endpointsOf)[0]?.request.bound;
  expect(bound).toMatchObject([
    { wire: "limit", type: { kind: "int", limits: { min: 1, max: 100 } } },
    { wire: "tag", list: true, type: { kind: "string", limits: { max: 5 } }, items: { max: 2 } },
  ]);
});

test.each([
  ["q: Query & MaxLength<3>", { wire: "q", type: { kind: "string", limits: { max: 3 } } }],
  ["q: MaxLength<3> & Query", { wire: "q", type: { kind: "string", limits: { max: 3 } } }],
  ["q?: Query<Int> & Max<5>", { wire: "q", optional: true, type: { kind: "int", limits: { max: 5 } } }],
  ["q: Query<string[]> & MaxItems<2>", { wire: "q", list: true, items: { max: 2 } }],
  ['h: Header<string, "X-H"> & MaxLength<3>', { wire: "X-H", type: { kind: "string", limits: { max: 3 } } }],
  ['c: Cookie & Pattern<"a+">', { wire: "c", type: { kind: "string", limits: { pattern: "a+" } } }],
  ["f: Form & MaxLength<3>", { wire: "f", type: { kind: "string", limits: { max: 3 } } }],
])("a constraint beside a marker concerns the value that the marker binds: %s", async (field, bound) => {
  for (const type of [`{ ${field} }`, `Loose<{ ${field} }>`]) {
    const { app, diagnostics } = await bench.analyze(
      `-- shop/shop.ts --${imports}import type { Cookie, Form, Header } from "fw";\nexport const x = API("POST /x", (_ctx, req: ${type}) => typeof req);\n`,
    );
    expect(diagnostics).toEqual([]);
    expect(app.packages.flatMap(endpointsOf)[0]?.request.bound).toMatchObject([bound]);
  }
});

test("a constraint beside Body concerns the whole body, and one on a record's key type its keys", async () => {
  const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --${imports}import type { Body } from "fw";
export const all = API("POST /all", (_ctx, req: { all: Body<string[]> & MaxItems<1> }) => req.all.length);
export const keys = API("POST /keys", (_ctx, req: { m: Record<string & MaxLength<3>, Int> }) => typeof req.m);
export const checked = API("POST /checked", (_ctx, req: Loose<{ m: Record<string & MaxLength<3>, Int> }>) => typeof req.m);
export const index = API("POST /index", (_ctx, req: { m: { [key: string & MaxLength<3>]: Int } }) => typeof req.m);
export const mapped = API("POST /mapped", (_ctx, req: { m: { [K in string & MaxLength<3>]: Int } }) => typeof req.m);
`);
  expect(diagnostics).toEqual([]);
  const [all, ...records] = app.packages.flatMap(endpointsOf).map(({ request }) => request);
  expect(all?.whole?.schema).toEqual({ kind: "array", items: { kind: "string" }, limits: { max: 1 } });
  for (const { body } of records)
    expect(body[0]?.schema).toEqual({ kind: "record", values: { kind: "int" }, keys: { max: 3 } });
});
