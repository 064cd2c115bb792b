import * as fc from "fast-check";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { unpack } from "../../../../fake-cloud/src/registry/unpack.ts";
import { configOf, digestOf, imageOf, type Image } from "./image.ts";
import { ForeignAddons } from "./native-addons.ts";
import { linkedBase } from "./testing/base.ts";

const directories: string[] = [];
afterAll(() => directories.forEach((directory) => rmSync(directory, { recursive: true })));

const settings = { command: ["/app/main.js"], env: { FW_APP: "shop" }, user: "65532" };
const service = { "main.js": "console.log(1)\n", "site/index.html": "<h1>a</h1>", "package.json": "{}" };

function writeFiles(files: Readonly<Record<string, string | Uint8Array>>): string {
  const directory = mkdtempSync(join(tmpdir(), "fw-image-"));
  directories.push(directory);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

async function unpacked({ layers }: Image): Promise<string> {
  const root = writeFiles({});
  for (const layer of layers) await unpack(await buffer(layer.open()), root);
  return root;
}

const digests = ({ layers }: Image): readonly string[] => layers.map(({ digest }) => digest);

test("the same files are the same image, whenever and in whatever order they were written", async () => {
  const first = writeFiles(service);
  const second = writeFiles(Object.fromEntries(Object.entries(service).toReversed()));
  utimesSync(join(second, "main.js"), 1, 1);
  const base = await linkedBase();
  const [a, b] = [await imageOf(first, base, settings), await imageOf(second, base, settings)];
  expect([b.digest, digests(b)]).toEqual([a.digest, digests(a)]);
  expect(digestOf(await buffer(a.layers[1]!.open()))).toBe(a.layers[1]?.digest);
});

test("a change of code changes the last layer alone, below which modules have one of their own", async () => {
  const directory = writeFiles({
    ...service,
    "node_modules/left/index.js": "",
    "node_modules/.package-lock.json": "{}",
  });
  const base = await linkedBase();
  const before = await imageOf(directory, base, settings);
  writeFileSync(join(directory, "main.js"), "console.log(2)\n");
  const after = await imageOf(directory, base, settings);
  expect(before.layers).toHaveLength(3);
  expect(digests(after).map((digest, at) => digest === digests(before)[at])).toEqual([true, true, false]);
});

test("an image starts the service with what its base starts, as nobody who may write to it", async () => {
  const { config, os, architecture } = configOf(await imageOf(writeFiles(service), await linkedBase(), settings));
  expect([os, architecture]).toEqual(["linux", "amd64"]);
  expect(config).toEqual({
    User: "65532",
    Env: ["PATH=/usr/local/bin:/usr/bin:/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt", "FW_APP=shop"],
    Entrypoint: ["/nodejs/bin/node"],
    Cmd: ["/app/main.js"],
    WorkingDir: "/app",
  });
});

test("files are in the image as they are on the disk: links, long names, other letters, what may be run", async () => {
  const long = `site/${"deep/".repeat(30)}${"x".repeat(120)}.txt`;
  const directory = writeFiles({ ...service, [long]: "far", "files/größe 1.txt": "ü", "files/run.sh": "#!/bin/sh" });
  chmodSync(join(directory, "files/run.sh"), 0o755);
  symlinkSync(`../${"y".repeat(140)}`, join(directory, "files/link"));
  const root = join(await unpacked(await imageOf(directory, await linkedBase(), settings)), "app");
  for (const path of [long, "files/größe 1.txt", "main.js"])
    expect(readFileSync(join(root, path))).toEqual(readFileSync(join(directory, path)));
  expect(readlinkSync(join(root, "files/link"))).toBe(`../${"y".repeat(140)}`);
  expect([lstatSync(join(root, "files/run.sh")).mode & 0o777, lstatSync(join(root, "main.js")).mode & 0o777]).toEqual([
    0o755, 0o644,
  ]);
});

test("whatever files there are, they come out of the image as they went in", async () => {
  const name = fc
    .stringMatching(/^[a-zA-Z0-9_é€ .-]{1,70}$/)
    .filter((text) => !/^[. ]|[. ]$|\.node$|^\.wh\./.test(text));
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => `d/${names.join("/")}/f`);
  const files = fc.dictionary(path, fc.uint8Array({ maxLength: 1200 }), { maxKeys: 6 });
  const base = await linkedBase();
  await fc.assert(
    fc.asyncProperty(files, async (given) => {
      const root = await unpacked(await imageOf(writeFiles(given), base, settings));
      for (const [at, content] of Object.entries(given))
        expect(new Uint8Array(readFileSync(join(root, "app", at)))).toEqual(content);
    }),
    { numRuns: 15 * Number(process.env["FW_TRIES"] ?? 1) },
  );
});

test("native addons are refused by the names of their packages, unless they are for where images run", async () => {
  const elf = (machine: number, libc = ""): Buffer =>
    Buffer.concat([
      Buffer.from("7f454c46020101000000000000000000030000", "hex").subarray(0, 18),
      Buffer.from([machine, 0]),
      Buffer.from(libc),
      Buffer.alloc(8),
    ]);
  const addons = {
    "node_modules/sharp/build/a.node": Buffer.from("cffaedfe00000000", "hex"),
    "node_modules/@img/win/a.node": Buffer.from("4d5a900003000000", "hex"),
    "node_modules/arm/a.node": elf(0xb7),
    "node_modules/alpine/a.node": elf(0x3e, "libc.musl-x86_64.so.1"),
    "node_modules/fits/a.node": elf(0x3e),
    "addon.node": Buffer.from("?"),
  };
  const error = await imageOf(writeFiles({ ...service, ...addons }), await linkedBase(), settings).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ForeignAddons);
  expect((error as ForeignAddons).message.split("\n").map((line) => line.replace(/, but images.*/, ""))).toEqual([
    "the package addon.node has a native addon for an unknown system",
    "the package @img/win has a native addon for Windows",
    "the package alpine has a native addon for linux-musl-x64",
    "the package arm has a native addon for linux-arm64",
    "the package sharp has a native addon for macOS",
  ]);
  expect((error as ForeignAddons).message).toContain(
    "run npm install --os=linux --cpu=x64 --libc=glibc sharp and build again",
  );
});
