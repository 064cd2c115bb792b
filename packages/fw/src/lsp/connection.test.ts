import { expect, onTestFinished, test } from "vitest";
import { framed } from "../lib/message-frames.ts";
import { LanguageServer } from "./server.ts";
import { Client } from "./testing/client.ts";

/** Connects a client to a server that has no application. */
function connected(): { readonly client: Client; readonly log: string[]; readonly ended: boolean[] } {
  const log: string[] = [];
  const ended: boolean[] = [];
  const server = new LanguageServer({
    version: "1.2.3",
    env: {},
    write: (text) => client.take(Buffer.from(text)),
    log: (line) => log.push(line),
    onEnd: (orderly) => ended.push(orderly),
  });
  const client: Client = new Client("/nowhere", (bytes) => server.take(bytes));
  onTestFinished(() => server.end());
  return { client, log, ended };
}

const place = { textDocument: { uri: "file:///nowhere/a.ts" }, position: { line: 0, character: 0 } };

test("a server says what it can do, and counts in UTF-16 units", async () => {
  const { client } = connected();
  expect(await client.request("initialize", {})).toMatchObject({
    capabilities: { positionEncoding: "utf-16", textDocumentSync: { openClose: true, change: 2 }, hoverProvider: true },
    serverInfo: { name: "fw", version: "1.2.3" },
  });
});

test("requests before the start, after the end and of no known method are refused, each with its code", async () => {
  const { client, ended } = connected();
  expect((await client.ask("textDocument/hover", place)).error?.code).toBe(-32_002);
  await client.start([]);
  expect((await client.ask("initialize", {})).error?.code).toBe(-32_600);
  expect((await client.ask("textDocument/rename", place)).error?.code).toBe(-32_601);
  expect((await client.ask("toString", place)).error?.code).toBe(-32_601);
  expect(await client.request("shutdown")).toBeNull();
  expect((await client.ask("textDocument/hover", place)).error?.code).toBe(-32_600);
  client.notify("exit");
  expect(ended).toEqual([true]);
});

test("a client that exits without asking first is told so by the exit", () => {
  const { client, ended } = connected();
  client.notify("exit");
  expect(ended).toEqual([false]);
});

test.each([
  ["{", null, -32_700],
  ["\uFFFF\u0000", null, -32_700],
  ["[]", null, -32_600],
  ["1", null, -32_600],
  ["null", null, -32_600],
  [`{"id":1}`, null, -32_600],
  [`{"id":{},"method":"initialize"}`, null, -32_600],
  [`{"id":null,"method":"initialize"}`, null, -32_600],
  [`{"id":9,"method":"textDocument/hover"}`, 9, -32_602],
  [`{"id":"a","method":"textDocument/hover","params":{"textDocument":[]}}`, "a", -32_602],
  [`{"id":9,"method":"textDocument/hover","params":{"textDocument":{"uri":4}}}`, 9, -32_602],
])("the message %j is refused, and the next one is answered", async (text, id, code) => {
  const { client } = connected();
  await client.start([]);
  const before = client.notifications.length;
  const refused = id === null ? undefined : client.answer(id);
  client.raw(framed(text));
  const answer = refused ? await refused : client.notifications[before];
  expect(answer).toMatchObject({ id, error: { code } });
  expect(await client.request("textDocument/hover", place)).toBeNull();
});

test("notifications that are wrong or unknown are left alone", async () => {
  const { client, ended } = connected();
  await client.start([]);
  for (const params of [undefined, null, [], 1, {}, { textDocument: 1 }, { textDocument: { uri: "file:///a.ts" } }]) {
    for (const method of ["didOpen", "didChange", "didClose"]) client.notify(`textDocument/${method}`, params);
    client.notify("workspace/didChangeWorkspaceFolders", params);
    client.notify("$/cancelRequest", params);
    client.notify("$/unknown", params);
  }
  expect(await client.request("textDocument/hover", place)).toBeNull();
  expect(ended).toEqual([]);
});

test.each([1, 2, 3, 17, 4_000])("messages are read from pieces of %i bytes", async (size) => {
  const { client } = connected();
  const bytes = Buffer.from(
    framed(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { é: "😀" } })) +
      `Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:52\r\n\r\n{"jsonrpc": "2.0", "id": 2, "method":    "shutdown"}`,
  );
  const answers = Promise.all([client.answer(1), client.answer(2)]);
  for (let at = 0; at < bytes.length; at += size) client.raw(bytes.subarray(at, at + size));
  expect(await answers).toMatchObject([{ id: 1 }, { id: 2, result: null }]);
});

test.each([
  ["no header", "x".repeat(5_000)],
  ["a header without a length", "Content-Type: a\r\n\r\n{}"],
  ["a length that is no number", "Content-Length: ten\r\n\r\n{}"],
  ["a negative length", "Content-Length: -1\r\n\r\n{}"],
  ["more than any message has", "Content-Length: 99999999999\r\n\r\n"],
])("what is not framed ends the server, which says why: %s", (_, text) => {
  const { client, log, ended } = connected();
  client.raw(text);
  client.raw(framed(`{"id":1,"method":"initialize"}`));
  expect(ended).toEqual([false]);
  expect(log).toEqual([expect.stringMatching(/^fw lsp: a message .*; the client does not follow the protocol$/)]);
});
