import { expect, test } from "vitest";
import { maskForm, maskHeader, maskHTML, maskJSON } from "./mask-secrets.ts";

test.each([
  ["Authorization", "Bearer abc", "Bearer •••"],
  ["authorization", "abc", "•••"],
  ["Cookie", "a=1; __Host-fw=x=y", "a=•••; __Host-fw=•••"],
  ["Set-Cookie", "a=1; Path=/; HttpOnly", "a=•••; Path=/; HttpOnly"],
  ["X-CSRF-Token", "abc", "•••"],
  ["X-Partner-Key", "ours", "•••"],
  ["Idempotency-Key", "7", "7"],
  ["Accept", "text/html", "text/html"],
])("the header %s: %s is shown as %s", (name, value, shown) => {
  expect(maskHeader(name, value)).toBe(shown);
});

test("fields of forms and query strings are masked by their names", () => {
  expect(maskForm("q=cup&new_password=hunter2&accessToken=7&_csrf=abc&tokens=3")).toBe(
    "q=cup&new_password=•••&accessToken=•••&_csrf=•••&tokens=3",
  );
});

test("members of JSON are masked at any depth, and other text stays as it is", () => {
  expect(
    JSON.parse(maskJSON('{"user":{"password":"a","name":"ann"},"apiKey":{"of":[1]},"list":[{"token":7}]}')),
  ).toEqual({
    user: { password: "•••", name: "ann" },
    apiKey: "•••",
    list: [{ token: "•••" }],
  });
  expect(maskJSON('{"hasPassword":true,"secret":"a"}')).toBe('{"hasPassword":true,"secret":"•••"}');
  expect(maskJSON('{ "big": 12345678901234567890 }')).toBe('{ "big": 12345678901234567890 }');
});

test.each([
  '{"name":"ann","password":"hunt',
  '{"pin": 1234, "text": "',
  '{"secrets":{"of":"hunter',
  '{"token":"a\\"hunter", "x',
])("members of incomplete JSON are masked: %s", (text) => {
  expect(maskJSON(text)).not.toMatch(/hunt|1234/);
  expect(maskJSON(text)).toContain("•••");
});

test("the values of secret fields in HTML are masked", () => {
  expect(maskHTML('<input type="hidden" name="_csrf" value="abc"><input name="q" value="cup">')).toBe(
    '<input type="hidden" name="_csrf" value="•••"><input name="q" value="cup">',
  );
});
