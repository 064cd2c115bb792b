import { hash, randomBytes } from "node:crypto";
import { cookieName, sessionCookie } from "../lib/cookie-names.ts";
import { CsrfTokens } from "../runtime/access/csrf-tokens.ts";
import { sessionKind } from "../runtime/auth/kinds.ts";
import { sessionFields } from "../runtime/auth/session-document.ts";
import { nodeObjectsOf } from "../runtime/exchange/node/node-exchange.ts";
import type { Request } from "../runtime/request.ts";
import { list, optionalText, text, WrongUse, type Given } from "./given.ts";
import type { ConsoleParts } from "./parts.ts";

/** Characters of an answer that are shown. */
const mostShown = 200_000;

/** Milliseconds that a session for one call lasts, and the call may take. */
const callMs = 60_000;

/** Makes a request to the application's own port, as somebody who may have any roles. Their session ends with it. */
export async function callAs(given: Given, parts: ConsoleParts, request: Request): Promise<unknown> {
  const path = text(given, "path");
  if (!path.startsWith("/") || path.startsWith("//") || path.startsWith("/_fw/"))
    throw new WrongUse("a path begins with one slash, and is none of the framework's own");
  const session = await sessionFor(given, parts);
  try {
    const headers = new Headers(list(given, "headers").map((header) => [text(header, "name"), text(header, "value")]));
    for (const [name, value] of Object.entries(session?.headers ?? {})) headers.set(name, value);
    const body = formOf(given) ?? optionalText(given, "body");
    const started = performance.now();
    const answer = await fetch(`${originOf(request)}${path}`, {
      method: text(given, "method"),
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(callMs),
      ...(body !== undefined && { body }),
    });
    const whole = await answer.text();
    return {
      status: answer.status,
      ms: performance.now() - started,
      headers: [...answer.headers],
      body: whole.slice(0, mostShown),
      cut: whole.length > mostShown,
    };
  } catch (error) {
    if (error instanceof TypeError) throw new WrongUse(`the request cannot be made: ${causeOf(error)}`);
    throw error;
  } finally {
    await session?.end();
  }
}

/** A form with files, where the request carries one. */
function formOf(given: Given): FormData | undefined {
  if (given["parts"] === undefined) return undefined;
  const form = new FormData();
  for (const part of list(given, "parts")) {
    const name = text(part, "name");
    if (part["base64"] === undefined) form.append(name, text(part, "value"));
    else {
      const file = new Blob([Buffer.from(text(part, "base64"), "base64")], { type: text(part, "type") });
      form.append(name, file, text(part, "filename"));
    }
  }
  return form;
}

interface CallSession {
  readonly headers: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

/** A session of nobody's account, for one call. */
async function sessionFor(given: Given, { platform }: ConsoleParts): Promise<CallSession | undefined> {
  const email = optionalText(given, "email");
  if (email === undefined) return undefined;
  const opened = await platform();
  if (opened === undefined) throw new WrongUse("nobody can sign in: the application keeps no data");
  const known = await opened.accounts.byEmail(email);
  const roles = (given["roles"] as readonly string[] | undefined) ?? [];
  const id = randomBytes(32).toString("base64url");
  const csrf = randomBytes(32).toString("base64url");
  const identity = {
    id: known?.id ?? `console-${email}`,
    email,
    name: known?.name ?? "",
    provider: "email",
    emailVerified: true,
    roles: roles.map(String),
  } as const;
  const key = { kind: sessionKind, id: hash("sha256", id, "hex") };
  const expires = new Date(opened.clock.now() + callMs);
  await opened.entities.insert(key, sessionFields(identity, { csrf }), { expires });
  const token = new CsrfTokens().issueFor({ identity, csrf });
  return {
    headers: { cookie: `${cookieName(sessionCookie, false)}=${id}`, "x-csrf-token": token },
    end: () => opened.entities.delete(key),
  };
}

/** The port that the console itself was asked at. */
function originOf({ exchange }: Request): string {
  const { localAddress = "127.0.0.1", localPort } = nodeObjectsOf(exchange).req.socket;
  const address = localAddress.replace(/^::ffff:/, "");
  return `http://${address.includes(":") ? `[${address}]` : address}:${localPort}`;
}

function causeOf(error: TypeError): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
