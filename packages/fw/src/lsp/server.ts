import { checkerFailureOf } from "../lib/checker-failure.ts";
import { FrameError } from "../lib/message-frames.ts";
import type { Change } from "../workspace/watch/watcher.ts";
import { closeChange, openChange } from "./application.ts";
import { Applications } from "./applications.ts";
import { Connection } from "./connection.ts";
import { Documents, pathOf } from "./documents.ts";
import type { Feature } from "./request-context.ts";
import { codeActions } from "./code-actions.ts";
import { completion } from "./completion.ts";
import { definition } from "./definition.ts";
import { hover } from "./hover/hover.ts";
import { isObject } from "../lib/record-in.ts";
import { listIn, numberIn, objectIn, textIn } from "./params.ts";
import { errorCodes, RequestError } from "./protocol.ts";

export interface ServerOptions {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  /** Receives log lines for troubleshooting. */
  readonly log: (line: string) => void;
  /** Called once at the end; `orderly` is true if the client requested the shutdown. */
  readonly onEnd: (orderly: boolean) => void;
}

export class LanguageServer {
  readonly #options: ServerOptions;
  readonly #connection: Connection;
  readonly #documents: Documents = new Documents();
  #applications: Applications | undefined;
  /** Folders to open once the client is ready. */
  #folders: readonly string[] = [];
  #stage: "new" | "running" | "shut down" | "ended" = "new";

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#connection = new Connection(options.write, {
      request: (method, params, signal) => this.#request(method, params, signal),
      notification: (method, params) => this.#notified(method, params),
      failed: (error) => this.#failed(error),
    });
  }

  /** Handles bytes from the client. */
  take(chunk: Buffer): void {
    if (this.#stage === "ended") return;
    try {
      this.#connection.take(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#options.log(`fw lsp: ${error.message}; the client does not follow the protocol`);
      this.end();
    }
  }

  /** Handles the end of the connection or an exit notification. */
  end(): void {
    if (this.#stage === "ended") return;
    const orderly = this.#stage === "shut down";
    this.#stage = "ended";
    this.#applications?.close();
    this.#options.onEnd(orderly);
  }

  async #request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (method === "initialize") return this.#initialize(params);
    if (this.#stage === "new")
      throw new RequestError(errorCodes.serverNotInitialized, `the client sent "${method}" before "initialize"`);
    if (this.#stage !== "running")
      throw new RequestError(errorCodes.invalidRequest, `the client sent "${method}" after "shutdown"`);
    if (method === "shutdown") return this.#shutDown();
    const feature = Object.hasOwn(features, method) ? features[method] : undefined;
    if (feature === undefined) throw new RequestError(errorCodes.methodNotFound, `"${method}" is not supported`);
    return this.#ask(feature, params, signal);
  }

  #initialize(params: unknown): object {
    if (this.#stage !== "new") throw new RequestError(errorCodes.invalidRequest, `the client sent "initialize" twice`);
    const settings = isObject(params) ? params["initializationOptions"] : undefined;
    this.#folders = foldersOf(params);
    this.#applications = new Applications({
      env: this.#options.env,
      documents: this.#documents,
      types: isObject(settings) && settings["types"] === true,
      notify: (name, body) => this.#stage === "running" && this.#connection.notify(name, body),
      failed: (error) => this.#failed(error),
    });
    this.#stage = "running";
    return { capabilities, serverInfo: { name: "fw", version: this.#options.version } };
  }

  #shutDown(): null {
    this.#stage = "shut down";
    this.#applications?.close();
    return null;
  }

  async #ask(feature: Feature, params: unknown, signal: AbortSignal): Promise<unknown> {
    const path = pathOf(textIn(objectIn(params, "textDocument"), "uri"));
    const application = path === undefined ? undefined : this.#applications?.of(path, this.#documents.texts.get(path));
    if (path === undefined || application === undefined) return null;
    const { root } = application;
    return application.current(async (current) =>
      signal.aborted ? null : feature({ ...current, root, path, documents: this.#documents }, params),
    );
  }

  #notified(method: string, params: unknown): void {
    if (method === "exit") return this.end();
    if (this.#stage !== "running") return;
    switch (method) {
      case "initialized":
        for (const dir of this.#folders) this.#applications?.openFolder(dir);
        return;
      case "textDocument/didOpen":
        return this.#open(objectIn(params, "textDocument"));
      case "textDocument/didChange":
        return this.#change(objectIn(params, "textDocument"), listIn(params, "contentChanges"));
      case "textDocument/didClose":
        return this.#close(objectIn(params, "textDocument"));
      case "workspace/didChangeWorkspaceFolders":
        return this.#changeFolders(objectIn(params, "event"));
      default:
        // The protocol allows a server to ignore unknown notifications.
        return;
    }
  }

  #open(document: object): void {
    const uri = textIn(document, "uri");
    const path = pathOf(uri);
    if (path === undefined || !liveFiles.test(path)) return;
    const text = textIn(document, "text");
    this.#documents.open({ uri, path, version: numberIn(document, "version") }, text);
    this.#changed(openChange(path));
  }

  #change(document: object, changes: readonly unknown[]): void {
    const path = pathOf(textIn(document, "uri"));
    if (path === undefined || !this.#documents.change(path, numberIn(document, "version"), changes)) return;
    this.#changed({ path, kind: "changed" });
  }

  #close(document: object): void {
    const path = pathOf(textIn(document, "uri"));
    if (path === undefined || !this.#documents.close(path)) return;
    this.#changed(closeChange(path));
  }

  /** Passes a change to the file's application, which it opens if needed, and to others that read the file. */
  #changed(change: Change): void {
    const { path } = change;
    const own = this.#applications?.of(path, this.#documents.texts.get(path));
    const others = this.#applications?.reading(path) ?? [];
    for (const application of new Set([...(own ? [own] : []), ...others])) application.change([change]);
  }

  #changeFolders(event: object): void {
    for (const folder of listIn(event, "removed")) {
      const dir = pathOf(textIn(folder, "uri"));
      if (dir !== undefined) this.#applications?.closeFolder(dir);
    }
    for (const folder of listIn(event, "added")) {
      const dir = pathOf(textIn(folder, "uri"));
      if (dir !== undefined) this.#applications?.openFolder(dir);
    }
  }

  #failed(error: unknown): void {
    const sentence = checkerFailureOf(error) ?? (error instanceof RequestError ? error.message : undefined);
    const text = sentence ?? (error instanceof Error ? error.stack : String(error));
    this.#options.log(`fw lsp: ${text}`);
  }
}

/** Request handlers by method. */
const features: Readonly<Record<string, Feature>> = {
  "textDocument/hover": hover,
  "textDocument/definition": definition,
  "textDocument/completion": completion,
  "textDocument/codeAction": codeActions,
};

/** Files whose unsaved text is used: sources and templates. Settings files take effect when they are saved. */
const liveFiles = /\.(?:[cm]?[jt]sx?|html|hbs)$/;

const capabilities = {
  positionEncoding: "utf-16",
  textDocumentSync: { openClose: true, change: 2 },
  hoverProvider: true,
  definitionProvider: true,
  completionProvider: { triggerCharacters: ['"', "'", "{", "/", ">"] },
  codeActionProvider: { codeActionKinds: ["quickfix"] },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
};

/** Returns the workspace folders, which older clients send in other fields. */
function foldersOf(params: unknown): readonly string[] {
  if (!isObject(params)) return [];
  const { workspaceFolders, rootUri, rootPath } = params;
  if (Array.isArray(workspaceFolders))
    return workspaceFolders.flatMap((folder: unknown) => pathOf(textIn(folder, "uri")) ?? []);
  if (typeof rootUri === "string") return [pathOf(rootUri)].flatMap((path) => path ?? []);
  return typeof rootPath === "string" ? [rootPath] : [];
}
