import { hash, randomBytes } from "node:crypto";
import { cookieName, sessionCookie } from "../lib/cookie-names.ts";
import type { Platform } from "../platform/contract.ts";
import { CsrfTokens } from "../runtime/access/csrf-tokens.ts";
import { sessionKind } from "../runtime/auth/kinds.ts";
import { sessionFields } from "../runtime/auth/session-document.ts";
import { nodeObjectsOf } from "../runtime/exchange/node/node-exchange.ts";
import type { Request } from "../runtime/request.ts";
import { list, optionalText, text, BadInput, type Input } from "./input.ts";
import type { ConsoleParts } from "./parts.ts";

/** The longest response text that the page shows, in characters. */
const maxResponseChars = 200_000;

/** Milliseconds after which a call is aborted; its session expires then, too. */
const callMs = 60_000;

/**
 * Sends a request to the application's own port, anonymously or as a user with arbitrary roles. The user's session ends
 * with the call.
 */
export async function callAs(input: Input, parts: ConsoleParts, request: Request): Promise<unknown> {
  const path = text(input, "path");
  if (!path.startsWith("/") || path.startsWith("//") || path.startsWith("/_fw/"))
    throw new BadInput("a path must begin with one slash and not with /_fw/");
  const session = await sessionFor(input, parts);
  try {
    const headers = new Headers(list(input, "headers").map((header) => [text(header, "name"), text(header, "value")]));
    for (const [name, value] of Object.entries(session?.headers ?? {})) headers.set(name, value);
    const body = formOf(input) ?? optionalText(input, "body");
    const started = performance.now();
    const answer = await fetch(`${originOf(request)}${path}`, {
      method: text(input, "method"),
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(callMs),
      ...(body !== undefined && { body }),
    });
    const responseText = await answer.text();
    return {
      status: answer.status,
      ms: performance.now() - started,
      headers: [...answer.headers],
      body: responseText.slice(0, maxResponseChars),
      cut: responseText.length > maxResponseChars,
    };
  } catch (error) {
    if (error instanceof TypeError) throw new BadInput(`cannot send the request: ${causeOf(error)}`);
    throw error;
  } finally {
    await session?.end();
  }
}

/** Builds a multipart form if the input has parts. */
function formOf(input: Input): FormData | undefined {
  if (input["parts"] === undefined) return undefined;
  const form = new FormData();
  for (const part of list(input, "parts")) {
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

/** Creates the session for one call; undefined for an anonymous call. The user needs no account. */
async function sessionFor(input: Input, { platform }: ConsoleParts): Promise<CallSession | undefined> {
  const email = optionalText(input, "email");
  if (email === undefined) return undefined;
  const openPlatform = await platform();
  if (openPlatform === undefined) throw new BadInput("sign-in is not possible: the application stores no data");
  const account = await openPlatform.accounts.byEmail(email);
  if (account?.disabled === true) throw new BadInput(`the account of ${email} is disabled, so it has no session`);
  const roles = (input["roles"] as readonly string[] | undefined) ?? [];
  const identity = {
    id: account?.id ?? `console-${email}`,
    email,
    name: account?.name ?? "",
    provider: "email",
    emailVerified: true,
    roles: roles.map(String),
  } as const;
  return createSession(identity, openPlatform);
}

async function createSession(
  identity: Parameters<typeof sessionFields>[0],
  { entities, clock }: Platform,
): Promise<CallSession> {
  const id = randomBytes(32).toString("base64url");
  const csrf = randomBytes(32).toString("base64url");
  const key = { kind: sessionKind, id: hash("sha256", id, "hex") };
  await entities.insert(key, sessionFields(identity, { csrf }), { expires: new Date(clock.now() + callMs) });
  const token = new CsrfTokens().issueFor({ identity, csrf });
  return {
    headers: { cookie: `${cookieName(sessionCookie, false)}=${id}`, "x-csrf-token": token },
    end: () => entities.delete(key),
  };
}

/** Returns the application's origin: the local address and port at which this request arrived. */
function originOf({ exchange }: Request): string {
  const { localAddress = "127.0.0.1", localPort } = nodeObjectsOf(exchange).req.socket;
  const address = localAddress.replace(/^::ffff:/, "");
  return `http://${address.includes(":") ? `[${address}]` : address}:${localPort}`;
}

function causeOf(error: TypeError): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
