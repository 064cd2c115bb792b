import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Blob as FwBlob } from "../../declare/blob.ts";
import type { Context } from "../../declare/context.ts";
import { Errorf } from "../../declare/errors.ts";
import { openFiles } from "../../lib/testing/open-files.ts";
import type { RawRequest } from "../decode/raw-request.ts";
import { apis, bundleOf, start } from "../testing/app.ts";
import { parseAnswer, until } from "../testing/server.ts";

const big = 40 * 1024 * 1024;

function uploadDescriptors(): number {
  return openFiles("fw-upload-").length;
}

/** The number of temporary files that were open when a handler started. */
let openAtStart = 0;

function startUploads(run: (ctx: Context, file: FwBlob) => unknown) {
  const upload = {
    carries: "multipart" as const,
    run: (ctx: Context, raw: RawRequest) => {
      openAtStart = uploadDescriptors();
      return run(ctx, raw.form!.files.get("file")![0]!);
    },
  };
  return start(bundleOf(apis({ "POST /": upload })));
}

function post(url: string, signal?: AbortSignal): Promise<Response> {
  const form = new FormData();
  form.append("file", new File([Buffer.alloc(big, "x")], "a.bin", { type: "application/x-thing" }));
  return fetch(url, { method: "POST", body: form, ...(signal && { signal }) });
}

describe("an upload that went to a temporary file leaves none behind", () => {
  afterEach(async () => {
    expect(openAtStart).toBeGreaterThan(0);
    openAtStart = 0;
    await until(() => uploadDescriptors() === 0, "the temporary file to go");
  });

  test("when the handler returns", async () => {
    await using app = await startUploads((_, file) => ({ size: file.size, name: file.name }));
    expect(await (await post(app.url)).json()).toEqual({ size: big, name: "a.bin" });
  });

  test("when the handler throws", async () => {
    await using app = await startUploads(() => {
      throw Errorf(422, "no");
    });
    expect((await post(app.url)).status).toBe(422);
  });

  test("when the file itself is the response", async () => {
    await using app = await startUploads((_, file) => file);
    const answer = await post(app.url);
    expect([answer.headers.get("content-type"), (await answer.arrayBuffer()).byteLength]).toEqual([
      "application/x-thing",
      big,
    ]);
  });

  test("when the client goes away while the handler runs", async () => {
    const client = new AbortController();
    await using app = await startUploads(async (ctx) => {
      client.abort();
      await until(() => ctx.signal.aborted, "the request to be aborted");
    });
    await expect(post(app.url, client.signal)).rejects.toThrow();
  });

  test("when the client goes away while the file is sent back", async () => {
    const client = new AbortController();
    await using app = await startUploads((_, file) => file);
    const answer = await post(app.url, client.signal);
    await answer.body!.getReader().read();
    expect(uploadDescriptors()).toBe(1);
    client.abort();
  });

  test("when the client of a pipelined request goes away", async () => {
    let started = 0;
    await using app = await startUploads(async (ctx) => {
      started++;
      await until(() => ctx.signal.aborted, "the request to be aborted");
    });
    const part = Buffer.concat([
      Buffer.from("--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\n"),
      Buffer.alloc(big),
      Buffer.from("\r\n--b--\r\n"),
    ]);
    const head = Buffer.from(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${part.byteLength}\r\n\r\n`,
    );
    const socket = connect(app.port, "127.0.0.1", () => socket.write(Buffer.concat([head, part, head, part])));
    await until(() => started === 2, "both handlers to start");
    socket.destroy();
  });
});

test("a malformed upload is a 400 and the handler does not run", async () => {
  let ran = false;
  await using app = await startUploads(() => (ran = true));
  const answer = await fetch(app.url, {
    method: "POST",
    headers: { "Content-Type": "multipart/form-data; boundary=b" },
    body: "--b\r\nhello",
  });
  expect([answer.status, await answer.json(), ran]).toEqual([
    400,
    { error: "body: malformed multipart/form-data (it ends before its last boundary)" },
    false,
  ]);
});

test("what follows a refused upload is not read as a request", async () => {
  await using app = await startUploads(() => undefined);
  const body = "--b oops\r\n" + "x".repeat(100) + "\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  const text = await new Promise<string>((resolve) => {
    let received = "";
    const socket = connect(app.port, "127.0.0.1", () => {
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n${body}`,
      );
    });
    socket.on("data", (chunk) => (received += chunk.toString()));
    socket.on("close", () => resolve(received));
  });
  expect(parseAnswer(text).status).toBe(400);
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
});
