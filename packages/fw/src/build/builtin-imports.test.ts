import { expect, test } from "vitest";
import { withBuiltinCalls } from "./builtin-imports.ts";

test("imports of Node's own modules become calls that load nothing else, and lines keep their numbers", () => {
  const code = `import fs, { readFileSync, statSync as stat } from "node:fs";
import "node:http";
import * as path from "node:path";
import {
  join,
} from "path";
import { other } from "./other.js";
import { site } from "fs-extra";
`;
  expect(withBuiltinCalls(code))
    .toBe(`const fs = process.getBuiltinModule("node:fs"), { readFileSync, statSync: stat } = process.getBuiltinModule("node:fs");

import * as path from "node:path";
const { join } = process.getBuiltinModule("path");


import { other } from "./other.js";
import { site } from "fs-extra";
`);
});

test("what loads much and is called by few requests is asked for by its first call", () => {
  const code = `import { constants, open, readFile as read } from "node:fs/promises";\n`;
  expect(withBuiltinCalls(code)).toBe(
    `const { constants } = process.getBuiltinModule("node:fs/promises");let __load_node_fs_promises = () => process.getBuiltinModule("node:fs/promises"), open = (...v) => (open = __load_node_fs_promises().open)(...v), read = (...v) => (read = __load_node_fs_promises().readFile)(...v);\n`,
  );
});

test("functions that promisify treats in a special way are loaded at once", () => {
  expect(withBuiltinCalls(`import { generateKeyPair, hash } from "node:crypto";\n`)).toBe(
    `const { generateKeyPair } = process.getBuiltinModule("node:crypto");let hash = (...v) => (hash = process.getBuiltinModule("node:crypto").hash)(...v);\n`,
  );
});
