import { describe, expect, test } from "vitest";
import type { RequestFields } from "../decode/header-cookie.ts";
import { cookieText, headerList, headerText } from "../decode/header-cookie.ts";
import { toInt } from "../decode/scalars.ts";
import { wireFields } from "../remote/request-text.ts";
import { calledFieldsHeader, fieldsOf } from "./fields.ts";

const bound = { varies: "X-Page" };

/** Returns the fields of a request with these headers, as a client sends them. */
function brought(...pairs: readonly (readonly [string, string])[]): RequestFields | undefined {
  return fieldsOf({ exchange: { header: () => undefined, rawHeaders: pairs.flat() } }, bound);
}

function called(text: string | undefined): RequestFields | undefined {
  const header = (name: string) => (name === calledFieldsHeader ? text : undefined);
  return fieldsOf({ exchange: { header, rawHeaders: ["Authorization", "Bearer x"] }, caller: "shop" }, bound);
}

describe("a header", () => {
  test("is read in whatever case it is written, and declared", () => {
    const fields = brought(["x-PAGE", "7"]);
    expect(headerText(fields, "X-Page", "header X-Page")).toBe("7");
    expect(headerText(fields, "X-Other", "header X-Other")).toBeUndefined();
  });

  test("that is given several times with different values is refused, and the same value twice is one", () => {
    const twice = brought(["X-Signature", "a"], ["x-signature", "b"]);
    expect(() => headerText(twice, "X-Signature", "header X-Signature")).toThrow(
      "header X-Signature: has several different values; send one",
    );
    expect(headerText(brought(["X-A", "a"], ["X-A", "a"]), "X-A", "header X-A")).toBe("a");
  });

  test.each([
    [["a, b"], ["a", "b"]],
    [
      ["a", "b,c"],
      ["a", "b", "c"],
    ],
    [[' , "x, y" ,z,'], ['"x, y"', "z"]],
    [[String.raw`"a\", b", c`], [String.raw`"a\", b"`, "c"]],
    [['"a, b'], ['"a, b']],
    [[","], undefined],
    [[], undefined],
  ])("of the lines %j is the list %j", (lines, elements) => {
    expect(headerList(brought(...lines.map((line) => ["X-List", line] as const)), "x-list")).toEqual(elements);
  });

  test("of 100,000 commas is a list in time proportional to its length", () => {
    expect(headerList(brought(["X-List", "a,".repeat(100_000)]), "x-list")).toHaveLength(100_000);
  });
});

describe("a cookie", () => {
  test.each([
    ["theme=dark", "dark"],
    ['other=1; theme="dark"', "dark"],
    ["theme=a%20b%C3%BC", "a bü"],
    ["theme=100%", "100%"],
    ["theme=%ff", "%ff"],
    ["theme=a=b", "a=b"],
    ["theme=", ""],
    ["Theme=dark", undefined],
    ["xtheme=dark; themex=dark", undefined],
    ["theme", undefined],
    ["a=b; \u00a0theme=planted", undefined],
  ])("of the header %j is %j", (header, value) => {
    expect(cookieText(brought(["Cookie", header]), "theme", "cookie theme")).toBe(value);
  });

  test("that another site of the domain tossed in beside the own is refused, wherever it stands", () => {
    const refusal = "cookie theme: has several different values; send one";
    for (const header of ["theme=evil; theme=dark", "theme=dark; a=b; theme=evil"]) {
      expect(() => cookieText(brought(["Cookie", header]), "theme", "cookie theme")).toThrow(refusal);
    }
    expect(() => cookieText(brought(["Cookie", "theme=a"], ["cookie", "theme=b"]), "theme", "cookie theme")).toThrow(
      refusal,
    );
  });
});

describe("in a call of another service", () => {
  test("headers and cookies are those that the request binds, exactly, whatever their characters are", () => {
    const odd = "a, b;\r\nSet-Cookie: x=1\0ü漢 ";
    const text = wireFields({
      header: [
        ["X-Odd", odd],
        ["X-List", ["a,b", "", "c"]],
        ["X-None", undefined],
      ],
      cookie: [["theme", odd]],
    });
    expect(text).toMatch(/^[\x21-\x7e]+$/);
    const fields = called(text);
    expect(headerText(fields, "x-odd", "header x-odd")).toBe(odd);
    expect(headerList(fields, "X-LIST")).toEqual(["a,b", "", "c"]);
    expect(headerText(fields, "X-None", "header X-None")).toBeUndefined();
    expect(cookieText(fields, "theme", "cookie theme")).toBe(odd);
  });

  test("what the service itself sends is none of them", () => {
    expect(headerText(called(undefined), "authorization", "header authorization")).toBeUndefined();
    expect(cookieText(called(""), "theme", "cookie theme")).toBeUndefined();
  });
});

test.each([
  ["header X-Page", "header X-Page: seven is not an int"],
  ["header Authorization", "header Authorization: the value is not an int"],
  ["header X-Api-Key", "header X-Api-Key: the value is not an int"],
  ["header X-Hub-Signature-256", "header X-Hub-Signature-256: the value is not an int"],
  ["cookie page", "cookie page: the value is not an int"],
])("a refusal of %s says what it was only where that is no secret", (where, message) => {
  expect(() => toInt("seven", where)).toThrow(message);
});
