import { afterAll, beforeAll, onTestFinished } from "vitest";
import { files, type Files } from "../../workspace/testing/files.ts";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LanguageServer } from "../server.ts";
import { Client } from "./client.ts";

const framework = fileURLToPath(new URL("../../..", import.meta.url));

export interface Editor {
  readonly client: Client;
  readonly app: Files;
  /** The log messages of the server. */
  readonly log: string[];
  /** Contains one entry after the server has ended: true after an orderly shutdown. */
  readonly ended: boolean[];
}

/** Opens an application on disk in a client whose server runs in this process, for one test. */
export function editorOn(texts: Readonly<Record<string, string>>): Editor {
  const { editor, close } = openEditor(texts);
  onTestFinished(close);
  return editor;
}

/** Opens one editor for all tests of a file or a `describe`; its server has started. */
export function useEditor(texts: Readonly<Record<string, string>>): () => Editor {
  let openedEditor: ReturnType<typeof openEditor>;
  beforeAll(async () => {
    openedEditor = openEditor(texts);
    await openedEditor.editor.client.start();
  });
  afterAll(() => openedEditor.close());
  return () => openedEditor.editor;
}

function openEditor(texts: Readonly<Record<string, string>>): {
  readonly editor: Editor;
  readonly close: () => void;
} {
  const app = files({
    "package.json": `{ "name": "app", "type": "module", "dependencies": { "fw": "*" } }`,
    "tsconfig.json": `{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }`,
    ...texts,
  });
  mkdirSync(join(app.root, "node_modules"), { recursive: true });
  symlinkSync(framework, join(app.root, "node_modules/fw"));
  const log: string[] = [];
  const ended: boolean[] = [];
  const server = new LanguageServer({
    version: "0.0.0",
    env: {},
    write: (text) => client.take(Buffer.from(text)),
    log: (line) => log.push(line),
    onEnd: (orderly) => ended.push(orderly),
  });
  const client: Client = new Client(app.root, (bytes) => server.take(bytes));
  const close = (): void => {
    server.end();
    app[Symbol.dispose]();
  };
  return { editor: { client, app, log, ended }, close };
}
