import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { framed, MessageReader } from "../../lib/message-frames.ts";
import type { PublishedDiagnostic, Range } from "../protocol.ts";

export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Published {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly PublishedDiagnostic[];
}

/** A client that exchanges framed bytes with the server, as an editor does. */
export class Client {
  readonly root: string;
  readonly #write: (bytes: Buffer) => void;
  readonly #reader: MessageReader = new MessageReader((body) => this.#received(JSON.parse(body.toString()) as Message));
  readonly #answers: Map<number | string, (answer: Message) => void> = new Map();
  readonly #versions: Map<string, number> = new Map();
  #last = 0;
  /** Messages other than responses, in order. */
  readonly notifications: Message[] = [];
  /** The published diagnostics of all files, in order. */
  readonly published: Published[] = [];

  constructor(root: string, write: (bytes: Buffer) => void) {
    this.root = root;
    this.#write = write;
  }

  /** Receives output of the server. */
  take(chunk: Buffer): void {
    this.#reader.take(chunk);
  }

  uri(path: string): string {
    return pathToFileURL(join(this.root, path)).href;
  }

  async start(folders: readonly string[] = [""], initializationOptions: object = {}): Promise<unknown> {
    const workspaceFolders = folders.map((folder) => ({ uri: this.uri(folder), name: folder }));
    const result = await this.request("initialize", {
      processId: null,
      capabilities: {},
      workspaceFolders,
      initializationOptions,
    });
    this.notify("initialized", {});
    return result;
  }

  /** Sends a request and resolves with the whole response, even if it is an error. */
  ask(method: string, params?: unknown): Promise<Message> {
    const id = this.begin(method, params);
    return this.answer(id);
  }

  begin(method: string, params?: unknown): number {
    this.#last += 1;
    this.send({ id: this.#last, method, params });
    return this.#last;
  }

  answer(id: number | string): Promise<Message> {
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  async request(method: string, params?: unknown): Promise<unknown> {
    const { result, error } = await this.ask(method, params);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  notify(method: string, params?: unknown): void {
    this.send({ method, params });
  }

  send(message: object): void {
    this.raw(framed(JSON.stringify({ jsonrpc: "2.0", ...message })));
  }

  raw(text: string | Buffer): void {
    this.#write(Buffer.from(text as string));
  }

  open(path: string, text: string = readFileSync(join(this.root, path), "utf8")): void {
    this.#versions.set(path, 1);
    const textDocument = { uri: this.uri(path), languageId: "typescript", version: 1, text };
    this.notify("textDocument/didOpen", { textDocument });
  }

  /** Sends a change to the document or to a range of it. */
  edit(path: string, text: string, range?: Range): void {
    const version = (this.#versions.get(path) ?? 0) + 1;
    this.#versions.set(path, version);
    this.notify("textDocument/didChange", {
      textDocument: { uri: this.uri(path), version },
      contentChanges: [range ? { range, text } : { text }],
    });
  }

  close(path: string): void {
    this.notify("textDocument/didClose", { textDocument: { uri: this.uri(path) } });
  }

  /** Returns the last published problems of a file, as `line:character code`. */
  problems(path: string): readonly string[] {
    const last = this.published.findLast(({ uri }) => uri === this.uri(path));
    return (last?.diagnostics ?? []).map(({ range: { start }, code }) => `${start.line}:${start.character} ${code}`);
  }

  /** Waits until the last published problems of a file equal these. */
  async told(path: string, problems: readonly string[]): Promise<void> {
    await expect
      .poll(() => this.published.some(({ uri }) => uri === this.uri(path)) || problems.length === 0)
      .toBe(true);
    await expect.poll(() => this.problems(path)).toEqual(problems);
  }

  /** Sends a request for the start of the first occurrence of `needle` in a file. */
  at(method: string, path: string, text: string, needle: string): Promise<unknown> {
    const offset = text.indexOf(needle);
    const before = text.slice(0, offset).split(/\r\n|\r|\n/);
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    return this.request(method, { textDocument: { uri: this.uri(path) }, position });
  }

  #received(message: Message): void {
    if (message.method === undefined && message.id !== undefined && message.id !== null) {
      this.#answers.get(message.id)?.(message);
      return;
    }
    this.notifications.push(message);
    if (message.method === "textDocument/publishDiagnostics") this.published.push(message.params as Published);
  }
}
