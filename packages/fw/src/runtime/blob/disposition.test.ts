import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dispositionOf, readDisposition } from "./disposition.ts";

test.each([
  [{}, undefined],
  [{ name: "" }, undefined],
  [{ download: true }, "attachment"],
  [{ name: "report.csv" }, 'inline; filename="report.csv"'],
  [{ name: "a b (1).pdf", download: true }, 'attachment; filename="a b (1).pdf"'],
  [{ name: "März 漢.csv" }, `inline; filename="M_rz _.csv"; filename*=UTF-8''M%C3%A4rz%20%E6%BC%A2.csv`],
  [{ name: `100%"'*.txt` }, `inline; filename="100__'*.txt"; filename*=UTF-8''100%25%22%27%2A.txt`],
  [{ name: "../../etc/passwd" }, 'inline; filename=".._.._etc_passwd"'],
  [{ name: ".." }, 'inline; filename="__"'],
  [{ name: " . " }, 'inline; filename="_"'],
  [{ name: "...", download: true }, 'attachment; filename="___"'],
  [{ name: ".env" }, 'inline; filename=".env"'],
  [{ name: "a\r\nSet-Cookie: x=1" }, 'inline; filename="a__Set-Cookie: x=1"'],
  [{ name: "invoice\u202egpj.exe" }, 'inline; filename="invoice_gpj.exe"'],
  [{ name: "\ud800" }, `inline; filename="_"; filename*=UTF-8''%EF%BF%BD`],
])("%j is encoded by RFC 6266", (blob, header) => {
  expect(dispositionOf(blob)).toBe(header);
});

test("whatever a name is, its header is one line of ASCII, and says that name to another service", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (name, download) => {
      const header = dispositionOf({ name, download });
      if (header === undefined) return;
      expect(header).toMatch(/^[\x20-\x7e]+$/);
      expect(dispositionOf(readDisposition(header))).toBe(header);
    }),
  );
});
