import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { Transport } from "./transport.ts";

describe("questions to a server", () => {
  test("that are asked in one go are one write", async () => {
    const { transport, written } = server();
    void transport.ask("first", { name: "é" });
    void transport.ask("second", null);
    expect(await written()).toBe(
      message({ jsonrpc: "2.0", id: 1, method: "first", params: { name: "é" } }) +
        message({ jsonrpc: "2.0", id: 2, method: "second", params: null }),
    );
  });

  test.each([1, 2, 7, 50, 1_000])("get their answers, in any order, from %i bytes at a time", async (size) => {
    const { transport, output } = server();
    const answers = Promise.all([transport.ask("a", {}), transport.ask("b", {}), transport.ask("c", {})]);
    const text = [3, 1, 2].map((id) => message({ jsonrpc: "2.0", id, result: `😀 ${id}` })).join("");
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) output.write(bytes.subarray(at, at + size));
    expect(await answers).toEqual(["😀 1", "😀 2", "😀 3"]);
  });

  test("fail with the sentence that the server refuses them with", async () => {
    const { transport, output } = server();
    const answer = transport.ask("a", {});
    output.write(message({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "no such file" } }));
    await expect(answer).rejects.toThrow("no such file");
  });

  test("are not disturbed by what nobody asked", async () => {
    const { transport, output } = server();
    const answer = transport.ask("a", {});
    output.write(message({ jsonrpc: "2.0", method: "$/progress", params: {} }));
    output.write(message({ jsonrpc: "2.0", id: 7, result: "stray" }));
    output.write(message({ jsonrpc: "2.0", id: 1, result: "answer" }));
    expect(await answer).toBe("answer");
  });

  test("report each answer, also a refusal, but nothing else", async () => {
    let answers = 0;
    const { transport, output } = server(() => (answers += 1));
    const outcomes = Promise.allSettled([transport.ask("a", {}), transport.ask("b", {})]);
    output.write(message({ jsonrpc: "2.0", method: "$/progress", params: {} }));
    output.write(message({ jsonrpc: "2.0", id: 7, result: "stray" }));
    output.write(message({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "no such file" } }));
    output.write(message({ jsonrpc: "2.0", id: 2, result: "answer" }));
    await outcomes;
    expect(answers).toBe(2);
  });
});

function message(body: object): string {
  const text = JSON.stringify(body);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function server(onAnswer?: () => void): {
  readonly transport: Transport;
  readonly output: PassThrough;
  readonly written: () => Promise<string>;
} {
  const input = new PassThrough();
  const output = new PassThrough();
  const written = new Promise<string>((resolve) => {
    input.once("data", (chunk: Buffer) => resolve(chunk.toString()));
  });
  return { transport: new Transport(input, output, onAnswer && { onAnswer }), output, written: () => written };
}
