import { expect, test } from "vitest";
import { readCookie } from "./cookies.ts";

test("a cookie is read by its whole name, and the first of that name counts", () => {
  const header = "theme=dark; fw=a ;\tfw=b; fw2=c; =fw=d; fw";
  expect(["fw", "theme", "fw2", "f", "w"].map((name) => readCookie(header, name))).toEqual([
    "a",
    "dark",
    "c",
    undefined,
    undefined,
  ]);
});

test("cookies need no blank between them", () => {
  expect(["a", "b", "c"].map((name) => readCookie("a=1;b=2;c=3", name))).toEqual(["1", "2", "3"]);
});

// Sibling hosts can set cookies whose names do not start with `__Host-`. Browsers bind only cookies with that prefix to
// the host.
test.each(["\u00a0", "\v", "\f", "\ufeff", "\u2000", "\u0085", "="])(
  "%j before the name makes another cookie of it",
  (before) => {
    expect(readCookie(`${before}__Host-fw=planted; __Host-fw=own`, "__Host-fw")).toBe("own");
    expect(readCookie(`a=b; ${before}__Host-fw=planted`, "__Host-fw")).toBeUndefined();
  },
);
