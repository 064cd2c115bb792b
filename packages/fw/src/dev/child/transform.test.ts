import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const compiled = new URL("../../../dist/dev/child/transform.js", import.meta.url).href;

test("a syntax error has no escape codes where the compiler colors its messages", async () => {
  const source = `import { API } from "x";\nimport { API } from "y";\n`;
  const script = `const { transformModule } = await import(${JSON.stringify(compiled)});
const failure = await transformModule("a.ts", ${JSON.stringify(source)}).catch((error) => error);
console.log(JSON.stringify([failure.message, failure.line, failure.column]));`;
  const env = { ...process.env, FORCE_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { env });
  expect(JSON.parse(stdout)).toEqual(["Identifier `API` has already been declared", 1, 10]);
});
