import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { filesBelow } from "../lib/read-file.ts";
import { namedFile } from "./named-file.ts";

const source = fileURLToPath(new URL("..", import.meta.url));

/** Folders with code that reads or writes data, backups or exports. */
const folders = ["platform", "cli/backup", "cli/data", "cli/transfer"];

/** Names that are constants or do not come from data. */
const constantNames: Readonly<Record<string, readonly string[]>> = {
  "cli/transfer/run.ts": ["modelFile"],
  "platform/local/backup/backup.ts": ["backupModelFile", "recordFile", "name"],
  "platform/local/backup/restore.ts": ["backupModelFile", "restoringFile", "name", "freshDirectory"],
  "platform/local/check/check.ts": ["setAsideDirectory"],
  "platform/local/files.ts": ["name"],
  "platform/local/open-mark.ts": ["markFile"],
  "platform/local/data-directory.ts": ["restoringFile"],
  // Names of the directory's own entries.
  "platform/local/backup/copy.ts": ["name"],
  "platform/local/set-aside.ts": ["setAsideDirectory", "name"],
  "platform/named-file.ts": ["name"],
  "platform/transfer/export.ts": ["recordFile", "source.schema[0]"],
  "platform/transfer/record.ts": ["recordFile"],
};

test("no name from data becomes a path but by one function", () => {
  const unknown = folders
    .flatMap((folder) => filesBelow(join(source, folder)))
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|[\\/]testing[\\/]/.test(path))
    .map((path) => ({
      file: path.slice(source.length).replaceAll("\\", "/"),
      text: readFileSync(path, "utf8"),
    }))
    .filter(({ text }) => /from "node:(?:fs|path)/.test(text))
    .flatMap(({ file, text }) => {
      const joins = [...text.matchAll(/\bjoin\(([^;]*?)\)(?=[,;)\s])/g)]
        .filter(({ index }) => text[index - 1] !== ".")
        .flatMap(([, list = ""]) => list.split(",").slice(1))
        .map((name) => name.trim().replace(/\)+.*$/s, ""))
        .filter((name) => name !== "" && !/^(?:"[^"]*"|`before-\$\{now\..*)$/.test(name));
      const templates = [...text.matchAll(/`[^`\n]*\}\/\$\{[^`\n]*`/g)].map(([template]) => template);
      const known = constantNames[file] ?? [];
      return [...joins.filter((name) => !known.includes(name)), ...templates]
        .filter((each) => each !== "`${directory}/${++n}`")
        .map((each) => `${file}: ${each}`);
    });
  expect(unknown).toEqual([]);
});

test("whatever a name is, its path is a file of its directory, or the name is refused", () => {
  const pieces = fc.constantFrom("..", ".", "/", "\\", "a", "B-_9", "\0", "%2e", ":", "~", " ", "é", "con.txt");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 5 }), (parts) => {
      const name = parts.join("");
      const isSafe = /^[A-Za-z0-9_-]+$/.test(name);
      if (!isSafe) expect(() => namedFile("/data", name)).toThrow("is not a valid file name");
      else expect(dirname(resolve(namedFile("/data", name)))).toBe(resolve("/data"));
    }),
  );
  for (const other of [undefined, null, 5, ["a"], {}])
    expect(() => namedFile("/data", other)).toThrow("is not a valid file name");
});
