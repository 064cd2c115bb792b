import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Blob as FwBlob } from "../../declare/blob.ts";
import { StatusError } from "../../declare/errors.ts";
import { openFiles } from "../../lib/testing/open-files.ts";
import { processorMs } from "../../lib/testing/processor-time.ts";
import { sendBlob } from "../blob/send-blob.ts";
import type { FormFields } from "../decode/raw-request.ts";
import { type RawAnswer, type TestServer, exchange, parseAnswer, request, serve, until } from "../testing/server.ts";
import { Disconnected } from "./body.ts";
import { type ReadForm, readMultipart } from "./multipart.ts";
import { FormBuilder } from "./multipart.ts";
import { MultipartParser } from "./multipart/parser.ts";
import { UploadStore } from "./multipart/upload-store.ts";

const MiB = 1024 * 1024;
/** The maximum milliseconds that parsing may take. A linear parser needs a hundredth of that. */
const stallMs = 2_000;

/** Starts a server that responds with the result of `use`, or with the status of the refusal. */
function serveForms(use: (form: FormFields, multipart: ReadForm) => unknown = plain): Promise<TestServer> {
  return serve(async ({ exchange }) => {
    const { res } = exchange;
    let multipart: ReadForm | undefined;
    try {
      multipart = await readMultipart(exchange);
      const answer = await use(multipart.form, multipart);
      res.end(JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      res.writeHead(error.status, { Connection: "close" }).end(error.message);
    } finally {
      await multipart?.dispose();
    }
  });
}

async function plain(form: FormFields): Promise<unknown> {
  const files = await Promise.all(
    [...form.files].map(async ([name, list]) => [name, await Promise.all(list.map(describeFile))] as const),
  );
  return { values: Object.fromEntries(form.values), files: Object.fromEntries(files) };
}

async function describeFile(file: FwBlob): Promise<unknown> {
  return { name: file.name, type: file.type, size: file.size, text: await new Response(file.stream()).text() };
}

/** Posts a handwritten multipart body, with `\n` for CRLF. */
async function post(port: number, lines: string, contentType = "multipart/form-data; boundary=b"): Promise<RawAnswer> {
  const body = Buffer.from(lines.replaceAll("\n", "\r\n"), "latin1");
  const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.byteLength}\r\n\r\n`;
  return parseAnswer(await exchange(port, Buffer.concat([Buffer.from(head), body])));
}

/** Parses the parts of a form from chunks in memory. */
function parse(chunks: readonly Buffer[], boundary: string): FormFields {
  const builder = new FormBuilder(new UploadStore());
  const parser = new MultipartParser(boundary, builder);
  for (const chunk of chunks) parser.write(chunk);
  parser.end();
  return builder.form;
}

function field(name: string, value: string): string {
  return `--b\nContent-Disposition: form-data; name="${name}"\n\n${value}\n`;
}

function filePart(fileName: string): string {
  return `Content-Disposition: form-data; name="f"; filename="${fileName}"\nContent-Type: application/octet-stream\n\n\n`;
}

function uploadFiles(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`fw-upload-${process.pid}-`));
}

/** Lists the descriptors of temporary files that are open in this or another process. */
function uploadDescriptors(pid?: number): readonly string[] {
  return openFiles("fw-upload-", pid);
}

describe("multipart/form-data", () => {
  test("text fields and files arrive by name, in order", async () => {
    await using server = await serveForms();
    const form = new FormData();
    form.append("title", "Über uns");
    form.append("tag", "a");
    form.append("tag", "b");
    form.append("photo", new File(["jpeg bytes"], 'naïve "photo".jpg', { type: "image/jpeg" }));
    form.append("photo", new File(["more"], "2.png", { type: "image/png" }));
    const answer = await fetch(server.url, { method: "POST", body: form });
    expect(await answer.json()).toEqual({
      values: { title: ["Über uns"], tag: ["a", "b"] },
      files: {
        photo: [
          { name: 'naïve "photo".jpg', type: "image/jpeg", size: 10, text: "jpeg bytes" },
          { name: "2.png", type: "image/png", size: 4, text: "more" },
        ],
      },
    });
  });

  test("an empty file input is absent, an empty file is not", async () => {
    await using server = await serveForms();
    expect(JSON.parse((await post(server.port, `--b\n${filePart("")}--b--`)).body)).toEqual({ values: {}, files: {} });
    const { files } = JSON.parse((await post(server.port, `--b\n${filePart("empty.txt")}--b--`)).body);
    expect(files.f).toEqual([{ name: "empty.txt", type: "application/octet-stream", size: 0, text: "" }]);
  });

  test.each([
    ["a form without parts", "--b--", {}],
    ["a preamble and an epilogue", `hello\n${field("a", "1")}--b--\nbye`, { a: ["1"] }],
    ["an empty value", `${field("a", "")}--b--`, { a: [""] }],
    ["a value that looks like a boundary", `${field("a", "\n--\n--c\n--bb"[0] + "--c")}--b--`, { a: ["\r\n--c"] }],
    ["blanks after a boundary", `--b \t\nContent-Disposition: form-data; name=a\n\n1\n--b--`, { a: ["1"] }],
    ["names of prototypes", `${field("__proto__", "x")}${field("constructor", "y")}--b--`, { constructor: ["y"] }],
  ])("%s is read", async (_, body, values) => {
    await using server = await serveForms((form) => Object.fromEntries(form.values));
    const answer = await post(server.port, body);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, values]);
  });

  test("a quoted boundary and other parameters are read", async () => {
    await using server = await serveForms((form) => Object.fromEntries(form.values));
    const answer = await post(
      server.port,
      `--a b?\nContent-Disposition: form-data; name=x\n\n1\n--a b?--`,
      'Multipart/Form-Data; charset="utf;8"; boundary="a b?"',
    );
    expect([answer.status, answer.body]).toEqual([200, '{"x":["1"]}']);
  });

  test("percent signs of a file's name stay as they are", async () => {
    await using server = await serveForms();
    const form = new FormData();
    form.append("f", new File(["x"], "50%20off%41.png"));
    const answer = (await (await fetch(server.url, { method: "POST", body: form })).json()) as {
      files: { f: { name: string }[] };
    };
    expect(answer.files.f[0]?.name).toBe("50%20off%41.png");
  });

  test.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\\\Users\\\\me\\\\photo.jpg", "photo.jpg"],
    ["..", ""],
    ["a\u202egpj.exe", "agpj.exe"],
    ["a%0D%0ASet-Cookie: x", "aSet-Cookie: x"],
    ["x".repeat(1_000), "x".repeat(200)],
  ])("the file name %j is exposed as %j", (sent, name) => {
    const body = `--b\r\nContent-Disposition: form-data; name="f"; filename="${sent}"\r\n\r\nx\r\n--b--`;
    expect(parse([Buffer.from(body)], "b").files.get("f")?.[0]?.name).toBe(name);
  });

  test.each([
    ["a\\", "a\\"],
    ["a\\\\", "a\\\\"],
    ['a\\"b', 'a"b'],
    ["a\\b", "a\\b"],
    ["a%22b%0D%0Ac", 'a"b\r\nc'],
    ["a%41", "a%41"],
    ["", ""],
  ])("the name %j means %j", (sent, name) => {
    const body = `--b\r\nContent-Disposition: form-data; name="${sent}"; x=y\r\n\r\n1\r\n--b--`;
    expect([...parse([Buffer.from(body)], "b").values]).toEqual([[name, ["1"]]]);
  });

  test("filename* of other clients is understood", () => {
    const body = `--b\r\nContent-Disposition: form-data; name=f; filename=x; filename*=UTF-8''na%C3%AFve.txt\r\n\r\nx\r\n--b--`;
    expect(parse([Buffer.from(body)], "b").files.get("f")?.[0]?.name).toBe("naïve.txt");
  });

  test("a file's type that is not one becomes plain bytes", () => {
    const body = `--b\r\nContent-Disposition: form-data; name=f; filename=x\r\nContent-Type: text/\x01html\r\n\r\nx\r\n--b--`;
    expect(parse([Buffer.from(body)], "b").files.get("f")?.[0]?.type).toBe("application/octet-stream");
  });

  test("whatever the parts hold and however they are cut, they arrive as the platform's own encoder sent them", async () => {
    const name = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .filter((s) => !/[\r\n\u{d800}-\u{dfff}]/u.test(s) && Buffer.byteLength(s) <= 200);
    const text = fc.string({ unit: fc.constantFrom("\r", "\n", "-", "--", "\r\n--", "a", "é"), maxLength: 40 });
    const part = fc.record({ name, text, file: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 6 }),
        fc.array(fc.nat({ max: 70 }), { maxLength: 30 }),
        async (parts, cuts) => {
          const form = new FormData();
          for (const p of parts) form.append(p.name, p.file ? new File([p.text], "f.txt") : p.text);
          const encoded = new Response(form);
          const boundary = encoded.headers.get("content-type")!.split("boundary=")[1]!;
          const bytes = Buffer.from(await encoded.arrayBuffer());
          const parsed = (await plain(parse(cut(bytes, cuts), boundary))) as { values: object; files: object };
          const oracle = await new Response(bytes, { headers: encoded.headers }).formData();
          expect(parsed.values).toEqual(grouped([...oracle].filter(([, v]) => typeof v === "string")));
          const files = await Promise.all(
            [...oracle].map(async ([n, v]) => [n, typeof v === "string" ? undefined : await v.text()] as const),
          );
          expect(textsOf(parsed.files)).toEqual(grouped(files.filter(([, v]) => v !== undefined)));
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** Splits bytes into chunks of the given lengths, followed by the remainder. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const length of lengths) {
    chunks.push(bytes.subarray(at, at + length));
    at = Math.min(bytes.byteLength, at + length);
  }
  return [...chunks, bytes.subarray(at)];
}

function grouped(entries: readonly (readonly [string, unknown])[]): object {
  const groups = new Map<string, unknown[]>();
  for (const [name, value] of entries) groups.set(name, [...(groups.get(name) ?? []), value]);
  return Object.fromEntries(groups);
}

function textsOf(files: object): object {
  return Object.fromEntries(
    Object.entries(files).map(([name, list]) => [name, (list as { text: string }[]).map((f) => f.text)]),
  );
}

describe("a malformed or truncated body answers 400", () => {
  const disposition = 'Content-Disposition: form-data; name="a"';

  test.each([
    ["nothing", ""],
    ["no boundary at all", "hello"],
    ["no last boundary", field("a", "1")],
    ["half a last boundary", `${field("a", "1")}--b-`],
    ["an end within a header", `--b\n${disposition}`],
    ["text after a boundary", `--b oops\n${disposition}\n\n1\n--b--`],
    ["a part without header", `--b\n\n1\n--b--`],
    ["a part without a name", `--b\nContent-Disposition: form-data\n\n1\n--b--`],
    ["a part that is not form-data", `--b\nContent-Disposition: attachment; name="a"\n\n1\n--b--`],
    ["a header line without a colon", `--b\n${disposition}\noops\n\n1\n--b--`],
    ["a folded header line", `--b\nContent-Disposition: form-data;\n name="a"\n\n1\n--b--`],
    ["two dispositions", `--b\n${disposition}\n${disposition}\n\n1\n--b--`],
    ["two names", `--b\n${disposition}; name="b"\n\n1\n--b--`],
    ["an open quote", `--b\nContent-Disposition: form-data; name="a\n\n1\n--b--`],
    ["a NUL in a header", `--b\nContent-Disposition: form-data; name="a\0"\n\n1\n--b--`],
    ["a bare line break in a header", `--b\nContent-Disposition: form-data; name="a\rb"\n\n1\n--b--`],
    ["an encoded part", `--b\n${disposition}\nContent-Transfer-Encoding: base64\n\nMQ==\n--b--`],
    ["a broken filename*", `--b\n${disposition}; filename*=UTF-8''%ZZ\n\n1\n--b--`],
    ["text that is not UTF-8", field("a", "\xff") + "--b--"],
    ["a header of 17 kB", `--b\n${disposition}\nX-Long: ${"x".repeat(17_000)}\n\n1\n--b--`],
    ["padding of 1 kB", `--b${" ".repeat(1_000)}\n${disposition}\n\n1\n--b--`],
  ])("%s", async (_, body) => {
    await using server = await serveForms();
    const answer = await post(server.port, body);
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.stringMatching(/^(body: malformed multipart\/form-data \(.+\)|form: .+)$/),
    ]);
  });

  test.each([
    "multipart/form-data",
    "multipart/form-data; boundary=",
    `multipart/form-data; boundary=${"b".repeat(71)}`,
    'multipart/form-data; boundary="b',
    "multipart/form-data; boundary=b; boundary=c",
    "multipart/mixed; boundary=b",
  ])("a Content-Type of %s", async (type) => {
    await using server = await serveForms();
    expect((await post(server.port, "--b--", type)).status).toBe(400);
  });

  test("a body cut at any byte", () => {
    const body = Buffer.from(
      `${field("a", "1\n--x")}--b\nContent-Disposition: form-data; name=f; filename=x\n\nxyz\n--b--`.replaceAll(
        "\n",
        "\r\n",
      ),
    );
    for (let end = 0; end < body.byteLength; end++)
      expect(() => parse([body.subarray(0, end)], "b")).toThrow(StatusError);
    expect(parse([body], "b").values.get("a")).toEqual(["1\r\n--x"]);
  });

  test("no bytes make anything but a form or a refusal", () => {
    const unit = fc.constantFrom(
      "--b",
      "\r\n",
      "--",
      "Content-Disposition: form-data; name=a",
      ": ",
      ";",
      '"',
      "filename=",
      "x",
      "\0",
      "\r\n\r\n",
    );
    const cuts = fc.array(fc.nat({ max: 9 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), cuts, (pieces, cuts) => {
        try {
          parse(cut(Buffer.from(pieces.join("")), cuts), "b");
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("limits of a form", () => {
  test.each([
    ["1,001 parts", field("a", "").repeat(1_001) + "--b--", 413, "form: more than 1000 parts"],
    ["a name of 201 bytes", `${field("n".repeat(201), "")}--b--`, 400, "form: a field's name is longer than 200 bytes"],
    ["a text field over 1 MiB", `${field("a", "x".repeat(MiB + 1))}--b--`, 413, "form a: is longer than 1048576 bytes"],
    [
      "text fields over 4 MiB",
      `${field("a", "x".repeat(MiB)).repeat(4)}${field("a", "x")}--b--`,
      413,
      "form: the text fields have more than 4194304 bytes in total",
    ],
  ])("%s", async (_, body, status, message) => {
    await using server = await serveForms();
    const answer = await post(server.port, body);
    expect([answer.status, answer.body]).toEqual([status, message]);
  });

  test("an announced body of 4 GB is refused before it is read", async () => {
    await using server = await serveForms();
    const answer = await request(
      server.port,
      "/",
      { "Content-Type": "multipart/form-data; boundary=b", "Content-Length": String(4 * 1024 * MiB) },
      "POST",
    );
    expect(answer.status).toBe(413);
  });

  test("nothing stalls on many false boundaries or tiny chunks", async () => {
    const evil = ["\r\n--", "\r", `\r\n--${"b".repeat(69)}`, "\r\n--b\r\n"].map((piece) =>
      Buffer.from(piece.repeat(Math.ceil(MiB / piece.length))),
    );
    const head = Buffer.from(`--${"b".repeat(70)}\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n`);
    const tiny = Array.from({ length: 100_000 }, () => Buffer.from("\r"));
    for (const chunks of [...evil.map((bytes) => [bytes]), tiny]) {
      const refused = (): void => expect(() => parse([head, ...chunks], "b".repeat(70))).toThrow(StatusError);
      expect(await processorMs(refused, stallMs)).toBeLessThan(stallMs);
    }
  });
});

/** Creates a form with several files. The large one contains the position every 4096 bytes. */
function formOf(bytes: number): FormData {
  const content = Buffer.alloc(bytes);
  for (let i = 0; i < bytes; i += 4096) content.writeUInt32BE(i, i);
  const form = new FormData();
  form.append("before", new File(["small"], "small.txt"));
  form.append("file", new File([content], "big.bin"));
  form.append("after", "text");
  form.append("behind", new File(["last"], "last.txt"));
  return form;
}

async function readAll(file: FwBlob): Promise<number> {
  let position = 0;
  for await (const chunk of file.stream() as unknown as AsyncIterable<Uint8Array>) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let i = -position & 4095; i + 4 <= bytes.byteLength; i += 4096) {
      if (bytes.readUInt32BE(i) !== position + i) throw new Error(`wrong byte at ${position + i}`);
    }
    position += bytes.byteLength;
  }
  return position;
}

describe("uploads are buffered in memory up to 32 MB, then in temporary files", () => {
  afterEach(() => expect([uploadFiles(), uploadDescriptors()]).toEqual([[], []]));

  test.each([
    [16, 0],
    [40, 1],
  ])("%i MiB take %i files, and can be read more than once", async (size, descriptors) => {
    await using server = await serveForms(async (form) => {
      const file = form.files.get("file")![0]!;
      const texts = [form.files.get("before")![0]!, form.files.get("behind")![0]!].map((f) =>
        new Response(f.stream()).text(),
      );
      const reads = await Promise.all([readAll(file), readAll(file)]);
      return { descriptors: uploadDescriptors().length, reads, texts: await Promise.all(texts), names: uploadFiles() };
    });
    const answer = await (await fetch(server.url, { method: "POST", body: formOf(size * MiB) })).json();
    expect(answer).toEqual({ descriptors, reads: [size * MiB, size * MiB], texts: ["small", "last"], names: [] });
    await until(() => uploadDescriptors().length === 0, "the temporary file to go");
  });

  test("an uploaded file can be the response", async () => {
    await using server = await serve(async (request) => {
      const multipart = await readMultipart(request.exchange);
      await sendBlob(request, multipart.form.files.get("file")![0]!, { maxAge: 0 });
      await multipart.dispose();
    });
    const answer = await fetch(server.url, { method: "POST", body: formOf(MiB) });
    expect([answer.headers.get("content-length"), (await answer.arrayBuffer()).byteLength]).toEqual([String(MiB), MiB]);
  });

  test("a file that is read after its request says so", async () => {
    let kept: FwBlob | undefined;
    await using server = await serveForms((form) => void (kept = form.files.get("file")![0]));
    await (await fetch(server.url, { method: "POST", body: formOf(1_000) })).text();
    await until(() => {
      try {
        kept?.stream();
        return false;
      } catch (error) {
        expect(String(error)).toContain("an uploaded file ends with its request");
        return true;
      }
    }, "the upload to be gone");
  });

  test("an aborted upload leaves no file and no descriptor", async () => {
    let failed: unknown;
    await using server = await serve(async ({ exchange }) => {
      await readMultipart(exchange).catch((error: unknown) => (failed = error));
    });
    const socket = connect(server.port, "127.0.0.1", () => {
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${75 * MiB}\r\n\r\n`,
      );
      socket.write("--b\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n");
      socket.write(Buffer.alloc(40 * MiB));
    });
    await until(() => uploadDescriptors().length === 1, "the upload to go to its file");
    socket.destroy();
    await until(() => failed !== undefined && uploadDescriptors().length === 0, "the upload to be given up");
    expect(failed).toBeInstanceOf(Disconnected);
  });

  test("one whose client goes away when all is sent leaves no file and no descriptor", async () => {
    let failed: unknown;
    let atEnd: readonly string[] = [];
    await using server = await serve(async ({ exchange }) => {
      exchange.req.once("end", () => {
        atEnd = uploadDescriptors();
        exchange.cut();
      });
      await readMultipart(exchange).catch((error: unknown) => (failed = error));
    });
    await fetch(server.url, { method: "POST", body: formOf(40 * MiB) }).catch(() => {});
    await until(() => failed !== undefined, "the upload to be refused");
    expect(failed).toBeInstanceOf(Disconnected);
    expect([atEnd.length, uploadDescriptors()]).toEqual([1, []]);
  });

  test("a malformed one leaves no file and no descriptor", async () => {
    let failed: unknown;
    let atEnd: readonly string[] = [];
    await using server = await serve(async ({ exchange }) => {
      exchange.req.once("end", () => (atEnd = uploadDescriptors()));
      await readMultipart(exchange).catch((error: unknown) => (failed = error));
      exchange.res.end();
    });
    const body = `--b\nContent-Disposition: form-data; name=f; filename=x\n\n${"x".repeat(40 * MiB)}`;
    await post(server.port, body);
    expect(failed).toMatchObject({ status: 400 });
    expect([atEnd.length, uploadDescriptors()]).toEqual([1, []]);
  });

  test("what a crashed process left behind goes with the first upload of the next, what lives is left alone", async () => {
    const dead = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => dead.once("exit", resolve));
    const names = [dead.pid, process.ppid].map((pid) => join(tmpdir(), `fw-upload-${pid}-${"0".repeat(32)}`));
    for (const name of names) writeFileSync(name, "");
    try {
      vi.resetModules();
      const next = await import("./multipart.ts");
      await using server = await serve(async ({ exchange }) => {
        await (await next.readMultipart(exchange)).dispose();
        exchange.res.end();
      });
      await post(server.port, "--b--");
      await until(() => !existsSync(names[0]!), "the file to be swept");
      expect(existsSync(names[1]!)).toBe(true);
    } finally {
      for (const name of names) rmSync(name, { force: true });
    }
  });
});

async function upload(port: number, content: Buffer): Promise<string> {
  const head = Buffer.from("--b\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n");
  const tail = Buffer.from("\r\n--b--\r\n");
  const length = head.byteLength + content.byteLength + tail.byteLength;
  const start = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => {
      for (const bytes of [start, head, content, tail]) socket.write(bytes);
    });
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("close", () => resolve(parseAnswer(answer).body));
    socket.on("error", reject);
  });
}

describe("memory", () => {
  const built = (path: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../../dist/runtime/${path}`, import.meta.url)));
  const program = `
    import { createServer } from "node:http";
    import { readMultipart } from ${built("body/multipart.js")};
    import { NodeExchange } from ${built("exchange/node/node-exchange.js")};
    const server = createServer(async (req, res) => {
      try {
        const multipart = await readMultipart(new NodeExchange(req, res, false));
        const sizes = [...multipart.form.files.values()].flat().map((file) => file.size);
        setTimeout(() => { res.end(JSON.stringify(sizes)); multipart.dispose(); }, 200);
      } catch { res.destroy(); }
    });
    server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

  async function startServer() {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const port = Number(
      await new Promise((resolve) => child.stdout.once("data", String).once("data", (line) => resolve(String(line)))),
    );
    const status = (name: string) =>
      Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
    return {
      pid: child.pid!,
      port,
      before: status("VmRSS"),
      peak: () => status("VmHWM"),
      [Symbol.dispose]: () => void child.kill("SIGKILL"),
    };
  }

  test("6 parallel uploads of 75 MiB grow it by less than 352 MB", async () => {
    using server = await startServer();
    const content = Buffer.alloc(75 * MiB, "x");
    const uploads = Array.from({ length: 6 }, () => upload(server.port, content));
    expect(await Promise.all(uploads)).toEqual(Array.from({ length: 6 }, () => `[${75 * MiB}]`));
    expect(server.peak() - server.before).toBeLessThan(352);
    await until(() => uploadDescriptors(server.pid).length === 0, "the temporary files to go");
  });

  test("a file that comes a byte at a time takes no more than its size", async () => {
    using server = await startServer();
    const chunks = Buffer.from("1\r\nx\r\n".repeat(MiB / 2));
    const head = "--b\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n";
    const start = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const ends = [head, "\r\n--b--\r\n"].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`);
    const answer = await exchange(
      server.port,
      Buffer.concat([Buffer.from(start + ends[0]), chunks, Buffer.from(`${ends[1]}0\r\n\r\n`)]),
    );
    expect(answer).toContain(`[${MiB / 2}]`);
    expect(server.peak() - server.before).toBeLessThan(48);
  });
});
