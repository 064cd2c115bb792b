import { expect, test } from "vitest";
import { withoutUnusedNames } from "./unused-names.ts";

test("a function that only the call which names it uses is dropped, with what only it uses", () => {
  const code = [
    `import { t as __name } from "./runtime.js";`,
    "function text$1(value) {",
    "\treturn trimmed$1(value);",
    "}",
    `__name(text$1, "text");`,
    "function trimmed$1(value) {",
    "\treturn value.trim();",
    "}",
    `__name(trimmed$1, "trimmed");`,
    "function used$1() {}",
    `__name(used$1, "used");`,
    "export { used$1 as used };",
  ].join("\n");
  const output = withoutUnusedNames(code);
  expect(output.split("\n").filter((line) => line !== "")).toEqual([
    `import { t as __name } from "./runtime.js";`,
    "function used$1() {}",
    `__name(used$1, "used");`,
    "export { used$1 as used };",
  ]);
  expect(output.split("\n")).toHaveLength(code.split("\n").length);
});

test("a function keeps its name wherever other code mentions it, in a text too", () => {
  const code = `function text$1() {}\n__name(text$1, "text");\nconst shown = "text$1";\nexport { shown };\n`;
  expect(withoutUnusedNames(code)).toBe(code);
});

test("a function whose name is no ASCII stays where code calls it", () => {
  const code = `function größe$1() {}\n__name(größe$1, "größe");\nconsole.log(größe$1());\n`;
  expect(withoutUnusedNames(code)).toBe(code);
});

test("text of a template that looks like a function stays, with what only it calls", () => {
  const lines = ["const page = `", "function text$1() {", "${mark()}", "}", "`;", `__name(text$1, "text");`];
  const code = [...lines, "function mark() {", "\treturn page;", "}", "export { page };", ""].join("\n");
  expect(withoutUnusedNames(code)).toBe(code);
});

test("a function whose template has a line of a brace only is dropped whole or not at all", () => {
  const code = [
    "function text$1() {",
    "\treturn `",
    "}",
    "`;",
    "}",
    `__name(text$1, "text");`,
    "async function* used$1() {}",
    `__name(used$1, "used");`,
    "export { used$1 as used };",
    "",
  ].join("\n");
  expect(withoutUnusedNames(code)).toBe(code);
});
