import { randomBytes, timingSafeEqual } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { extname, join, sep } from "node:path";
import { hostNameOf } from "../lib/host-name.ts";
import { ownDirectory } from "../lib/own-modules.ts";
import { encodeTagged } from "../lib/tagged-json.ts";
import { messageOf } from "../lib/thrown.ts";
import { isCrossOrigin } from "../runtime/access/cross-origin.ts";
import { readBody } from "../runtime/body/body.ts";
import type { Request } from "../runtime/request.ts";
import { refuse } from "../runtime/response/error.ts";
import { refuseMethod } from "../runtime/response/refusal.ts";
import { sendText } from "../runtime/response/send.ts";
import type { InjectedEndpoints } from "../runtime/routing/injected-endpoint.ts";
import { WrongUse } from "./given.ts";
import { consoleOperations } from "./operations.ts";
import type { ConsoleParts } from "./parts.ts";

/** Where it is, below `/_fw/`. */
const consolePath = "console";

/** Bytes that the page may post: the files of a form are among them. */
const postedBytes = 30_000_000;

/** The header that shows that the console's own page asks. */
const tokenHeader = "x-fw-console";

/** What the page may load: its own files, and nothing else. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** Answers `/_fw/console` and everything below it, to browsers of this machine alone. */
export class Console {
  readonly #parts: ConsoleParts;
  readonly #token: string;

  /** `token` is a secret that the page has, and no other page of a browser can read. */
  constructor(parts: ConsoleParts, token: string = randomBytes(32).toString("base64url")) {
    this.#parts = parts;
    this.#token = token;
  }

  /** `rest` is what follows `/_fw/console/` in the path; "" for the page. */
  async answer(request: Request, rest: string): Promise<void> {
    const { exchange } = request;
    if (!isLocal(request)) return refuse(request, { status: 403, message: notHere });
    if (rest.startsWith("api/")) return this.#operate(request, rest.slice("api/".length));
    if (exchange.method !== "GET" && exchange.method !== "HEAD") return refuseMethod(request, ["GET"]);
    const type = types[extname(rest)];
    if (type !== undefined && assets().has(rest)) return sendText(request, 200, type, ownHeaders(), asset(rest));
    if (rest !== "") return refuse(request, { status: 404, message: "the console has no such page" });
    this.#page(request);
  }

  /** A script of the application has no use for it: only a browser that shows it gets the page with the token. */
  #page(request: Request): void {
    const shownAs = request.exchange.header("sec-fetch-dest");
    if (shownAs !== undefined && shownAs !== "document")
      return refuse(request, { status: 403, message: "the console is a page of its own" });
    const page = asset("console.html").replace("{{token}}", this.#token);
    sendText(request, 200, "text/html; charset=utf-8", ownHeaders(), page);
  }

  async #operate(request: Request, name: string): Promise<void> {
    const { exchange } = request;
    if (exchange.method !== "POST") return refuseMethod(request, ["POST"]);
    if (isCrossOrigin(exchange) || !this.#hasToken(exchange.header(tokenHeader)))
      return refuse(request, { status: 403, message: "only the console's own page asks for this; reload it" });
    const operation = Object.hasOwn(consoleOperations, name) ? consoleOperations[name] : undefined;
    if (operation === undefined) return refuse(request, { status: 404, message: "the console has no such operation" });
    const body = (await readBody(exchange, postedBytes)).toString();
    try {
      const given = body === "" ? {} : (JSON.parse(body) as Readonly<Record<string, unknown>>);
      const answer = await operation(given, this.#parts, request);
      sendText(request, 200, "application/json", ownHeaders(), encodeTagged(answer ?? null));
    } catch (error) {
      const status = error instanceof WrongUse || error instanceof SyntaxError ? 400 : 500;
      // Whoever works on the application reads what is wrong with it.
      sendText(request, status, "application/json", ownHeaders(), JSON.stringify({ error: messageOf(error) }));
    }
  }

  #hasToken(given: string | undefined): boolean {
    const [own, other] = [Buffer.from(this.#token), Buffer.from(given ?? "")];
    return own.length === other.length && timingSafeEqual(own, other);
  }
}

/** The console among what a process answers below `/_fw/`. */
export function consoleEndpoints(console: Console): InjectedEndpoints {
  const handle = (request: Request, rest: string): Promise<void> => console.answer(request, rest);
  return {
    [consolePath]: { methods: ["GET", "HEAD"], handle: (request) => handle(request, "") },
    [`${consolePath}/`]: { methods: ["GET", "HEAD", "POST"], handle },
  };
}

const notHere =
  "the console is for the machine that the application runs on: open it there, as http://localhost and the port";

/** Asked by somebody on this machine, by a name of this machine, and not handed on by a proxy or a tunnel. */
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

function ownHeaders(): (string | number)[] {
  return [
    "Cache-Control",
    "no-store",
    "Content-Security-Policy",
    policy,
    "Cross-Origin-Opener-Policy",
    "same-origin",
    "Cross-Origin-Resource-Policy",
    "same-origin",
    "X-Frame-Options",
    "DENY",
    "Referrer-Policy",
    "no-referrer",
  ];
}

const directory = join(ownDirectory, "../console");

/** The names of the page's files. */
let names: ReadonlySet<string> | undefined;
function assets(): ReadonlySet<string> {
  return (names ??= new Set(
    readdirSync(directory, { recursive: true }).map((path) => String(path).split(sep).join("/")),
  ));
}

function asset(name: string): string {
  return readFileSync(join(directory, name), "utf8");
}
