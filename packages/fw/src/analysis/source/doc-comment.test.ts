import { expect, test } from "vitest";
import { docBefore } from "./doc-comment.ts";

test.each([
  ["/** One line. */ export const name = 1", "One line."],
  ["/**\n * Two\n * lines.\n */\nexport interface name {}", "Two\nlines."],
  ["interface A { /** The first. */ a: 1; /** This one. */ readonly name: string }", "This one."],
  ["/** Types such as image/* or /** in it. */\nname", "Types such as image/* or /** in it."],
  ["/** Of another. */ const a = 1;\nname", undefined],
  ["/* No doc. */ name", undefined],
  ["/** */ name", undefined],
  ["/**/ name", undefined],
  ["name", undefined],
  ['const glob = "/**"; /** Of it. */ const name = 1', "Of it."],
])("%j", (text, doc) => {
  expect(docBefore(text, text.lastIndexOf("name"))).toBe(doc);
});
