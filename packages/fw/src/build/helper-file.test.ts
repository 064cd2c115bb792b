import { expect, test } from "vitest";
import { withoutHelperFile } from "./helper-file.ts";

test("a file that needs no other helper than that for names does not import the helper file", () => {
  const code = `import { t as __name } from "./rolldown-runtime.js";
import "./rolldown-runtime.js";
import { n as __toESM, t as __name } from "./rolldown-runtime.js";
import "./other.js";
`;
  const [first = "", ...others] = withoutHelperFile(code).split("\n");
  expect(others).toEqual([
    "",
    `import { n as __toESM, t as __name } from "./rolldown-runtime.js";`,
    `import "./other.js";`,
    "",
  ]);
  const rename = new Function(`${first} return __name(function old() {}, "renamed");`) as () => () => void;
  expect(rename().name).toBe("renamed");
});
