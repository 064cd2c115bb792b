import { expect, test } from "vitest";
import { exposeDeclarations, exposedName } from "./expose.ts";

test("declarations are exported to generated code behind the module's own lines", () => {
  const module = "const a = 1;\nexport const b = 2;";
  expect(exposeDeclarations(module, ["a", "b"])).toBe(
    `${module}\nexport { a as ${exposedName("a")}, b as ${exposedName("b")} };\n`,
  );
  expect(exposeDeclarations(module, [])).toBe(module);
});
