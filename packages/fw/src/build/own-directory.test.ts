import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownDirectory, replaceDirectory } from "./own-directory.ts";
import { scratch } from "../lib/testing/scratch.ts";

test("writers of one place at once each put a whole directory there, and leave none behind", async () => {
  const root = await scratch();
  const place = join(root, "build");
  const write = async (text: string): Promise<void> => {
    const own = await ownDirectory(place);
    for (const name of ["a", "b", "c"]) await writeFile(join(own, name), text);
    await replaceDirectory(place, own);
  };
  await Promise.all(Array.from({ length: 20 }, (_, at) => write(String(at))));
  const texts = await Promise.all(["a", "b", "c"].map((name) => readFile(join(place, name), "utf8")));
  expect(new Set(texts).size).toBe(1);
  expect(await readdir(root)).toEqual(["build"]);
});

test("the directory of a process that was killed is deleted an hour later, and no other", async () => {
  const root = await scratch();
  const place = join(root, "build");
  const own = await ownDirectory(place);
  const [killed, recent] = [`${place}.4194304-0123abcd`, `${place}.4194304-0123abce`];
  for (const directory of [killed, recent])
    await ownDirectory(directory).then((made) => replaceDirectory(directory, made));
  await utimes(killed, 0, 0);
  await utimes(own, 0, 0);
  await ownDirectory(place);
  const left = await readdir(root);
  expect(left).not.toContain("build.4194304-0123abcd");
  expect(left).toContain("build.4194304-0123abce");
  expect(left.filter((name) => name.startsWith(`build.${process.pid}-`))).toHaveLength(2);
});
