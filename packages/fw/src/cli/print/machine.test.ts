import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { printGithub } from "./github.ts";
import { printJson } from "./json.ts";
import { printSarif } from "./sarif.ts";

const at = { path: "shop/50%, a:b/ö.ts", line: 2, column: 5, endLine: 2, endColumn: 9 };
const plain: Diagnostic = { code: "fw/max-age", at, message: "too long" };
const full: Diagnostic = {
  ...plain,
  hint: 'write "10m"',
  related: [{ at: { ...at, line: 1, endLine: 1 }, message: "here" }],
};
const hostile: Diagnostic = {
  ...plain,
  message: "100%\r\n::stop-commands::x\u001b[2J \u202e \u009b \u007f",
  code: "fw/max-age",
};
const typescript: Diagnostic = { ...plain, code: "ts2322" };

// oxlint-disable-next-line no-control-regex
const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe("--json", () => {
  test("has a stable shape", () => {
    expect(JSON.parse(printJson([full, plain]))).toEqual({
      version: 1,
      diagnostics: [
        {
          code: "fw/max-age",
          path: "shop/50%, a:b/ö.ts",
          line: 2,
          column: 5,
          endLine: 2,
          endColumn: 9,
          message: "too long",
          hint: 'write "10m"',
          severity: "error",
          related: [{ path: "shop/50%, a:b/ö.ts", line: 1, column: 5, endLine: 1, endColumn: 9, message: "here" }],
        },
        { code: "fw/max-age", ...at, message: "too long", hint: null, severity: "error", related: [] },
      ],
    });
  });

  test("carries hostile text exactly, without a raw control character", () => {
    const text = printJson([hostile]);
    expect(JSON.parse(text).diagnostics[0].message).toBe(hostile.message);
    expect(text).not.toMatch(unseen);
  });

  test("of nothing is an empty list", () => {
    expect(JSON.parse(printJson([]))).toEqual({ version: 1, diagnostics: [] });
  });
});

describe("GitHub annotations", () => {
  test("are one workflow command a finding, properties and data escaped as GitHub reads them", () => {
    expect(printGithub([full])).toBe(
      "::error file=shop/50%25%2C a%3Ab/ö.ts,line=2,endLine=2,col=5,endColumn=9,title=fw/max-age::" +
        'too long (fw/max-age)%0Ahint: write "10m"%0Ashop/50%25, a:b/ö.ts:1:5: here\n',
    );
  });

  test("leave columns out where they span lines", () => {
    expect(printGithub([{ ...plain, at: { ...at, endLine: 4 } }])).toContain(",line=2,endLine=4,title=");
  });

  test("cannot be broken out of by text from the source", () => {
    const text = printGithub([hostile, plain]);
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => line.slice(0, 8)),
    ).toEqual(["::error ", "::error "]);
    expect(text).not.toMatch(unseen);
  });
});

const region = z.strictObject({
  startLine: z.int().min(1),
  startColumn: z.int().min(1),
  endLine: z.int().min(1),
  endColumn: z.int().min(1),
});
const physicalLocation = z.strictObject({
  artifactLocation: z.strictObject({
    uri: z.string().regex(/^[A-Za-z0-9\-._~!$&'()*+,;=@%/]+$/),
    uriBaseId: z.string(),
  }),
  region,
});
const message = z.strictObject({ text: z.string().min(1) });

/** The part of the SARIF 2.1.0 schema that these logs use. */
const sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.array(
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string().min(1),
          rules: z.array(z.strictObject({ id: z.string(), shortDescription: message })),
        }),
      }),
      columnKind: z.enum(["utf16CodeUnits", "unicodeCodePoints"]),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(0).optional(),
          level: z.enum(["none", "note", "warning", "error"]),
          message,
          locations: z.array(z.strictObject({ physicalLocation })),
          relatedLocations: z.array(z.strictObject({ id: z.int().min(0), physicalLocation, message })),
        }),
      ),
    }),
  ),
});

describe("SARIF", () => {
  const rules = [
    { id: "const-route", title: "A route is a string constant" },
    { id: "max-age", title: "maxAge is 1 second to 1 year" },
  ];

  test("has the shape of version 2.1.0", () => {
    expect(() => sarif.parse(JSON.parse(printSarif([full, hostile, typescript], rules)))).not.toThrow();
  });

  test("points each finding of a rule at that rule", () => {
    const [run] = sarif.parse(JSON.parse(printSarif([full, typescript], rules))).runs;
    const [own, foreign] = run!.results;
    expect(run!.tool.driver.rules[own!.ruleIndex!]!.id).toBe("fw/max-age");
    expect(foreign).toMatchObject({ ruleId: "ts2322" });
    expect(foreign).not.toHaveProperty("ruleIndex");
  });

  test("percent-encodes paths by segment", () => {
    const [run] = sarif.parse(JSON.parse(printSarif([plain], rules))).runs;
    expect(run!.results[0]!.locations[0]!.physicalLocation.artifactLocation.uri).toBe(
      "shop/50%25%2C%20a%3Ab/%C3%B6.ts",
    );
  });

  test("holds no raw control character", () => {
    expect(printSarif([hostile], rules)).not.toMatch(unseen);
  });
});
