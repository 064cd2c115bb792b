import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { basename, extname, join } from "node:path";
import { StatusError } from "../declare/errors.ts";
import { equalTexts } from "../lib/equal-texts.ts";
import { hostNameOf } from "../lib/host-name.ts";
import { browserLibraries, ownDirectory } from "../lib/own-modules.ts";
import { withForwardSlashes } from "../lib/relative-path.ts";
import { encodeTagged } from "../lib/tagged-json.ts";
import { messageOf } from "../lib/thrown.ts";
import { PlatformError, type PlatformErrorCode } from "../platform/errors.ts";
import { isCrossOrigin } from "../runtime/access/cross-origin.ts";
import { readBody } from "../runtime/body/body.ts";
import type { Request } from "../runtime/request.ts";
import { refuse } from "../runtime/response/error.ts";
import { refuseMethod } from "../runtime/response/refusal.ts";
import { sendText } from "../runtime/response/send.ts";
import type { InjectedEndpoints } from "../runtime/routing/injected-endpoint.ts";
import { BadInput, type Input, type InputProblem } from "./input.ts";
import { consoleOperations } from "./operations.ts";
import type { ConsoleParts } from "./parts.ts";

const consolePath = "console";

/** The maximum number of bytes that the page may post, including the files of a form. */
const postedBytes = 30_000_000;

const tokenHeader = "x-fw-console";

/** The header of requests from coding agents, which must not see the values of secrets. */
const agentHeader = "x-fw-agent";

/** The content security policy of the page, which loads only its own files and `data:` images. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * The content security policy of a mail's document, which has only its own styles, and images of the application or in
 * `data:` URLs.
 */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox";

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** A call of an operation with side effects. */
interface OperatorCall {
  readonly operator: string;
  readonly operation: string;
  readonly input: Input;
}

/** Limits the console to what operators of a production server may see and do. */
export interface ConsoleAccess {
  /** The ids of the page's sections, in the order of the page. */
  readonly sections: readonly string[];
  /** The operations that the page may call; `changes` have side effects. */
  readonly operations: Readonly<Record<string, "reads" | "changes">>;
  /** Returns the name of the operator who sent a request. */
  readonly operatorOf: (request: Request) => string;
  /** Receives each call of an operation with side effects before it runs. */
  readonly audit: (call: OperatorCall) => void;
}

/** Serves `/_fw/console` and everything below it, but only to clients on this machine. */
export class Console {
  readonly #parts: ConsoleParts;
  readonly #token: string;
  readonly #access: ConsoleAccess | undefined;

  /** `token` is a secret in the console's page that no other page in the browser can read. */
  constructor(parts: ConsoleParts, token: string = randomBytes(32).toString("base64url"), access?: ConsoleAccess) {
    this.#parts = parts;
    this.#token = token;
    this.#access = access;
  }

  /** Handles a request. `rest` is the path after `/_fw/console/`; "" for the page. */
  async answer(request: Request, rest: string): Promise<void> {
    const { exchange } = request;
    if (!isLocal(request)) return refuse(request, { status: 403, message: notHere });
    if (rest.startsWith("api/")) return this.#operate(request, rest.slice("api/".length));
    if (exchange.method !== "GET" && exchange.method !== "HEAD") return refuseMethod(request, ["GET"]);
    if (rest.startsWith("mails/")) return this.#mail(request, rest.slice("mails/".length));
    const type = types[extname(rest)];
    const file = type === undefined ? undefined : fileOf(rest);
    if (type !== undefined && file !== undefined)
      return sendText(request, 200, type, ownHeaders(), readFileSync(file, "utf8"));
    if (rest !== "") return refuse(request, { status: 404, message: "the console has no such page" });
    this.#page(request);
  }

  /**
   * Sends the page, which contains the token. Refuses browser requests for anything but a document, so that no script
   * of the application can read the page.
   */
  #page(request: Request): void {
    const destination = request.exchange.header("sec-fetch-dest");
    if (destination !== undefined && destination !== "document")
      return refuse(request, { status: 403, message: "the console can only be opened as a page in a browser" });
    const { sections = [], operations = {} } = this.#access ?? {};
    const words = { token: this.#token, sections: sections.join(" "), operations: Object.keys(operations).join(" ") };
    const page = readFileSync(join(directory, "console.html"), "utf8").replaceAll(
      /\{\{(token|sections|operations)\}\}/g,
      (_, word: keyof typeof words) => words[word],
    );
    sendText(request, 200, "text/html; charset=utf-8", ownHeaders(), page);
  }

  /** Serves the document of a mail. Refuses a browser that loads it as anything but a frame, such as in a script. */
  #mail(request: Request, id: string): void {
    const destination = request.exchange.header("sec-fetch-dest");
    const document = this.#access === undefined ? this.#parts.mails?.document(id) : undefined;
    if (document === undefined || (destination !== undefined && destination !== "iframe"))
      return refuse(request, { status: 404, message: "the console has no such page" });
    sendText(request, 200, "text/html; charset=utf-8", ownHeaders(mailPolicy, "SAMEORIGIN"), document);
  }

  async #operate(request: Request, name: string): Promise<void> {
    const { exchange } = request;
    if (exchange.method !== "POST") return refuseMethod(request, ["POST"]);
    if (isCrossOrigin(exchange) || !this.#hasToken(exchange.header(tokenHeader)))
      return refuse(request, { status: 403, message: "only the console's own page may call this; reload the page" });
    const operation = this.#allows(name) ? consoleOperations[name] : undefined;
    if (operation === undefined) return refuse(request, { status: 404, message: "the console has no such operation" });
    const body = (await readBody(exchange, postedBytes)).toString();
    const isAgent = exchange.header(agentHeader) !== undefined;
    const send = (status: number, text: string): void => {
      const shown = isAgent ? JSON.stringify(this.#parts.redact(JSON.parse(text))) : text;
      sendText(request, status, "application/json", ownHeaders(), shown);
    };
    try {
      const input = inputIn(body);
      this.#audit(request, name, input);
      const answer = await operation(input, this.#parts, request);
      send(200, encodeTagged(answer ?? null));
    } catch (error) {
      send(statusOf(error), JSON.stringify(explanationOf(error)));
    }
  }

  #allows(name: string): boolean {
    const isAllowed = this.#access === undefined || Object.hasOwn(this.#access.operations, name);
    return isAllowed && Object.hasOwn(consoleOperations, name);
  }

  #audit(request: Request, operation: string, input: Input): void {
    if (this.#access?.operations[operation] !== "changes") return;
    this.#access.audit({ operator: this.#access.operatorOf(request), operation, input });
  }

  #hasToken(token: string | undefined): boolean {
    return equalTexts(this.#token, token ?? "");
  }
}

/** The status codes of platform errors that an operator's input can cause. All others are failures. */
const refusals: Partial<Record<PlatformErrorCode, number>> = {
  exists: 409,
  missing: 409,
  conflict: 409,
  index: 400,
  query: 400,
  cursor: 400,
  filling: 503,
  unfit: 400,
  document: 400,
  shape: 400,
  indexed: 400,
  combinations: 400,
  "too-large": 413,
  key: 400,
  full: 409,
};

/** Returns the status for an error. A StatusError, such as a refusal by a reference's `onDelete` rule, has its own. */
function statusOf(error: unknown): number {
  if (error instanceof BadInput || error instanceof SyntaxError) return 400;
  if (error instanceof PlatformError) return refusals[error.code] ?? 500;
  return error instanceof StatusError ? error.status : 500;
}

function inputIn(body: string): Input {
  const input: unknown = body === "" ? {} : JSON.parse(body);
  if (typeof input !== "object" || input === null) throw new BadInput("the input must be an object");
  return input as Input;
}

/** Returns the console's endpoints below `/_fw/`. */
export function consoleEndpoints(console: Console): InjectedEndpoints {
  const handle = (request: Request, rest: string): Promise<void> => console.answer(request, rest);
  return {
    [consolePath]: { methods: ["GET", "HEAD"], handle: (request) => handle(request, "") },
    [`${consolePath}/`]: { methods: ["GET", "HEAD", "POST"], handle },
  };
}

const notHere =
  "the console only works on the machine that runs the application: open it there, at http://localhost and the port";

/** True for a request that names this machine as its host, comes from this machine, and passed no proxy or tunnel. */
function isLocal({ exchange }: Request): boolean {
  const forwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host", "via"];
  if (forwarded.some((name) => exchange.header(name) !== undefined)) return false;
  const name = hostNameOf(exchange.header("host"));
  const isLocalName = name === "localhost" || name.endsWith(".localhost") || isLoopback(name);
  return isLocalName && isLoopback(exchange.address);
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, "").replace(/^::ffff:/, "");
  return plain === "::1" || (isIP(plain) === 4 && plain.startsWith("127."));
}

function ownHeaders(contentPolicy = policy, frames: "DENY" | "SAMEORIGIN" = "DENY"): (string | number)[] {
  return [
    "Cache-Control",
    "no-store",
    "Content-Security-Policy",
    contentPolicy,
    "Cross-Origin-Opener-Policy",
    "same-origin",
    "Cross-Origin-Resource-Policy",
    "same-origin",
    "X-Frame-Options",
    frames,
    "Referrer-Policy",
    "no-referrer",
  ];
}

const directory = join(ownDirectory, "../console");

/** The paths of the page's files. */
let names: ReadonlySet<string> | undefined;
function assets(): ReadonlySet<string> {
  return (names ??= new Set(
    readdirSync(directory, { recursive: true }).map((path) => withForwardSlashes(String(path))),
  ));
}

/** Libraries of the page, which fw's own build generates. */
const libraries: ReadonlySet<string> = new Set(["vendor/charts.js", "vendor/charts.css", "vendor/layout.js"]);

/** Explains an error. Includes every message, because the reader develops or operates the application. */
function explanationOf(error: unknown): {
  readonly error: string;
  readonly problems?: readonly InputProblem[] | undefined;
  readonly code?: PlatformErrorCode;
} {
  return {
    error: messageOf(error),
    ...(error instanceof BadInput && { problems: error.problems }),
    ...(error instanceof PlatformError && { code: error.code }),
  };
}

/** Finds the file for a path below the console. */
function fileOf(path: string): string | undefined {
  if (libraries.has(path)) return join(browserLibraries, basename(path));
  return assets().has(path) ? join(directory, path) : undefined;
}
