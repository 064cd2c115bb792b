import { once } from "node:events";
import { connect } from "node:net";
import { promisify } from "node:util";
import { assert, property, string, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { codePoint } from "../../lib/testing/code-point.ts";
import { BadInput } from "../decode/bad-input.ts";
import { apis, bundleOf, start, type TestEndpoint } from "../testing/app.ts";
import { exchange, parseAnswer, until } from "../testing/server.ts";
import { parseForm } from "./form.ts";
import { parseJSON } from "./json.ts";

const json = { "Content-Type": "application/json" };
const form = { "Content-Type": "application/x-www-form-urlencoded" };

async function post(port: number, path: string, body: string | Buffer, headers: Record<string, string>) {
  const lines = Object.entries({ Host: "x", Connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = Buffer.from(
    `POST ${path} HTTP/1.1\r\n${lines.join("")}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  );
  return parseAnswer(await exchange(port, Buffer.concat([head, Buffer.from(body)])));
}

describe("a packed body", () => {
  test.each([
    ["gzip", "/json", json],
    ["br", "/form", form],
    ["deflate, gzip", "/upload", { "Content-Type": "multipart/form-data; boundary=b" }],
    ["x-unknown", "/json", json],
  ] as const)("is refused as %s at %s", async (encoding, path, type) => {
    await using server = await app();
    const { status, body } = await post(server.port, path, "{}", { ...type, "Content-Encoding": encoding });
    expect([status, JSON.parse(body)]).toEqual([
      415,
      { error: "unsupported Content-Encoding: send the body uncompressed" },
    ]);
  });

  test.each(["identity", "Identity", ""])("of the encoding %j is none", async (encoding) => {
    await using server = await app();
    expect((await post(server.port, "/json", "{}", { ...json, "Content-Encoding": encoding })).status).toBe(200);
  });
});

function app(served: string[] = []) {
  const run: TestEndpoint["run"] = (_ctx, raw) => (served.push("json"), { body: raw.body });
  const fields: TestEndpoint["run"] = (_ctx, raw) => Object.fromEntries(raw.form?.values ?? []);
  return start(
    bundleOf(
      apis({
        "POST /json": { carries: "json", run },
        "POST /exact": { carries: "json", exactIntegers: true, run: (_ctx, raw) => String(raw.body) },
        "POST /form": { carries: "form", run: fields },
        "POST /upload": { carries: "multipart", run: fields },
        "POST /nothing": () => "fine",
        "GET /next": () => "next",
      }),
    ),
  );
}

describe("a JSON body", () => {
  test("is decoded", async () => {
    await using server = await app();
    expect((await post(server.port, "/json", '{"a":[1,"ü"]}', json)).status).toBe(200);
  });

  test.each(["application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"', "application/merge-patch+json"])(
    "may call itself %s",
    async (type) => {
      await using server = await app();
      expect((await post(server.port, "/json", "1", { "Content-Type": type })).status).toBe(200);
    },
  );

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=utf-16",
    "application/jsonp",
    "",
  ])("of type %j is refused with 415", async (type) => {
    const served: string[] = [];
    await using server = await app(served);
    expect((await post(server.port, "/json", "1", { "Content-Type": type })).status).toBe(415);
    expect(served).toEqual([]);
  });

  test.each(["", "{", "[1,]", "nul", "{'a':1}", "\ufeff1", "01", '"\n"'])(
    "that is no JSON is 400 `body: invalid JSON`: %j",
    async (body) => {
      await using server = await app();
      for (const path of ["/json", "/exact"]) {
        expect(await post(server.port, path, body, json)).toMatchObject({
          status: 400,
          body: '{"error":"body: invalid JSON"}',
        });
      }
    },
  );

  test("of invalid UTF-8 is 400 `body: invalid JSON`", async () => {
    await using server = await app();
    const answer = await post(server.port, "/json", Buffer.from([0x22, 0xff, 0x22]), json);
    expect(answer).toMatchObject({ status: 400, body: '{"error":"body: invalid JSON"}' });
  });

  test("keeps its integers exact where the endpoint asks for it", async () => {
    await using server = await app();
    expect((await post(server.port, "/exact", "9007199254740993", json)).body).toBe('"9007199254740993"');
  });

  test("beyond the limit is 413, whether its length is announced or not", async () => {
    const served: string[] = [];
    await using server = await app(served);
    const large = `"${"a".repeat(1024 * 1024)}"`;
    expect(await post(server.port, "/json", large, json)).toMatchObject({
      status: 413,
      body: '{"error":"body: larger than 1048576 bytes"}',
    });
    const chunks = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    const head =
      "POST /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(parseAnswer(await exchange(server.port, head + chunks)).status).toBe(413);
    expect(served).toEqual([]);
  });

  test("at the limit is taken", async () => {
    await using server = await app();
    expect((await post(server.port, "/json", `"${"a".repeat(1024 * 1024 - 2)}"`, json)).status).toBe(200);
  });

  test("whatever its bytes, it is parsed as JSON.parse does or refused as BadInput", () => {
    assert(
      property(uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          parseJSON(Buffer.from(bytes), false);
        } catch (error) {
          expect(error).toBeInstanceOf(BadInput);
        }
      }),
    );
  });
});

describe("a urlencoded form", () => {
  test("gives every value of a repeated field in order", async () => {
    await using server = await app();
    const answer = await post(server.port, "/form", "a=1&b=x+y%21&a=%C3%BC&c&=d", form);
    expect(JSON.parse(Buffer.from(answer.body, "latin1").toString())).toEqual({
      a: ["1", "ü"],
      b: ["x y!"],
      c: [""],
      "": ["d"],
    });
  });

  test.each(["a=%zz", "a=%ff", "%e9=1", "a=%"])("that is not encoded as UTF-8 is 400: %s", async (body) => {
    await using server = await app();
    expect(await post(server.port, "/form", body, form)).toMatchObject({
      status: 400,
      body: '{"error":"form: invalid encoding"}',
    });
  });

  test("has raw UTF-8 read as such", () => {
    expect(parseForm(Buffer.from("é=ü%C3%BC").toString("latin1")).values).toEqual(new Map([["é", ["üü"]]]));
  });

  test("has at most 1000 fields", async () => {
    await using server = await app();
    expect((await post(server.port, "/form", "a&".repeat(1000), form)).status).toBe(200);
    expect((await post(server.port, "/form", "a&".repeat(1001), form)).status).toBe(400);
  });

  test("beyond the limit is 413", async () => {
    await using server = await app();
    expect((await post(server.port, "/form", "a".repeat(1024 * 1024 + 1), form)).status).toBe(413);
  });

  test("reads back what the platform writes", () => {
    assert(
      property(string({ unit: codePoint }), string({ unit: codePoint }), (name, value) => {
        const text = new URLSearchParams([[name, value]]).toString();
        expect(parseForm(text).values).toEqual(new Map([[name, [value]]]));
      }),
    );
  });

  test("of another type is 415, and so is one without files where files are asked for", async () => {
    await using server = await app();
    expect((await post(server.port, "/form", "{}", json)).status).toBe(415);
    expect((await post(server.port, "/upload", "a=1", form)).status).toBe(415);
  });

  test("may come as multipart/form-data", async () => {
    await using server = await app();
    const body = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
    expect((await post(server.port, "/form", body, { "Content-Type": "multipart/form-data; boundary=b" })).body).toBe(
      '{"a":["1"]}',
    );
  });
});

describe("a body that no code reads", () => {
  test("never becomes the next request", async () => {
    await using server = await app();
    const smuggled = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n";
    const first = `POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    const text = await exchange(server.port, `${first}GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(text.match(/"next"/g)).toHaveLength(1);
  });

  test("of 4 GB costs nothing: the answer comes at once and the connection closes", async () => {
    await using server = await app();
    const announce = async (path: string) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4294967296\r\n\r\n`;
      const answer = parseAnswer(await exchange(server.port, head + "x".repeat(1000)));
      return [answer.status, answer.headers.get("connection")];
    };
    expect(await Promise.all(["/json", "/nothing", "/nowhere"].map(announce))).toEqual([
      [413, "close"],
      [200, "close"],
      [404, "close"],
    ]);
  });

  test("of a client that was busy for a while resets nothing after the answer has ended", async () => {
    await using server = await app();
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    const write = promisify((chunk: Buffer, sent: (error?: Error | null) => void) => socket.write(chunk, sent));
    const ended = once(socket, "end");
    const closed = once(socket, "close");
    socket.write("POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n");
    await ended;
    for (let left = 20; left > 0; left--) await write(Buffer.alloc(10_000));
    socket.end();
    expect(await closed).toEqual([false]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test("is not read beyond a little, however much is sent", async () => {
    await using server = await app();
    const socket = connect(server.port, "127.0.0.1");
    let closed = false;
    let answer = "";
    socket
      .on("data", (chunk) => (answer += chunk.toString()))
      .on("error", () => {})
      .on("close", () => (closed = true));
    socket.write(
      "POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4294967296\r\n\r\n",
    );
    const push = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
    };
    socket.on("drain", push);
    push();
    await until(() => closed, "the connection is cut");
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(32 * 1024 * 1024);
  });
});

describe("Expect: 100-continue", () => {
  const head = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  test("is answered with 100 before the body is read", async () => {
    await using server = await app();
    const text = await new Promise<string>((resolve) => {
      let answer = "";
      const socket = connect(server.port, "127.0.0.1", () => socket.write(head("/json", 1)));
      socket.on("data", (chunk) => {
        if (answer === "") socket.write("1");
        answer += chunk.toString();
      });
      socket.on("close", () => resolve(answer));
    });
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  test("is refused without reading the body where it is too large or unwanted", async () => {
    await using server = await app();
    expect(await exchange(server.port, head("/json", 2_000_000))).toMatch(/^HTTP\/1\.1 413 /);
    expect(await exchange(server.port, head("/nowhere", 5))).toMatch(/^HTTP\/1\.1 404 /);
  });
});

test.each([false, true])(
  "a body nested 500,000 deep is parsed without exhausting the stack (exact integers: %s)",
  (exact) => {
    expect(parseJSON(Buffer.from("[".repeat(500_000) + "]".repeat(500_000)), exact)).toBeInstanceOf(Array);
  },
);
