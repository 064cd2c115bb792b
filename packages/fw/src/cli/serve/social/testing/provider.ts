import { createHash, createHmac, generateKeyPairSync, randomUUID, sign, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Json = Record<string, unknown>;

/** A response of the provider: JSON, or text of another type. */
export interface ProviderResponse {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body: unknown;
}

/** The parts of an ID token before they are signed. */
export interface TokenParts {
  header: Json;
  claims: Json;
  key: KeyObject | string;
}

/** Violations of the protocol by a provider. Each function changes its argument or returns a replacement. */
export interface Departures {
  readonly metadata?: (metadata: Json) => ProviderResponse | void;
  readonly keys?: (keys: Json) => Json | void;
  readonly keyResponse?: (response: ProviderResponse) => ProviderResponse | void;
  /** The query parameters of the redirect back to the application. */
  readonly response?: (parameters: URLSearchParams) => void;
  readonly token?: (parts: TokenParts) => void;
  /** The signed ID token. */
  readonly jwt?: (jwt: string) => unknown;
  readonly grant?: (response: ProviderResponse) => ProviderResponse | void;
  readonly userInfo?: (response: ProviderResponse) => ProviderResponse | void;
}

const [signing, foreign] = [1, 2].map(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));

/** The provider's own keys, and other keys that it has not published. */
const ownKey = (signing as { privateKey: KeyObject }).privateKey;
export const foreignKey = (foreign as { privateKey: KeyObject }).privateKey;
export const publicKey = (signing as { publicKey: KeyObject }).publicKey;
export const foreignPublicKey = (foreign as { publicKey: KeyObject }).publicKey;

/** An OpenID Connect provider that signs in one person without a form. `departures` makes it violate the protocol. */
export class FakeProvider {
  departures: Departures = {};
  #requests = new Map<string, URLSearchParams>();
  #server = createServer((req, res) => void this.#answer(req, res));

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Signs the person in. Returns the URL to redirect the browser to. */
  authorize(url: URL): URL {
    const code = `code-${this.#requests.size}`;
    this.#requests.set(code, url.searchParams);
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.search = new URLSearchParams({
      code,
      state: url.searchParams.get("state") ?? "",
      iss: this.issuer,
    }).toString();
    const parameters = back.searchParams;
    this.departures.response?.(parameters);
    return back;
  }

  /** Returns a logout token for the person's session, with `change` applied. */
  logoutToken(change: (parts: TokenParts) => void = () => {}): string {
    const now = Math.floor(Date.now() / 1_000);
    const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
    const claims = { iss: this.issuer, aud: "notes", sub: "s1", sid: "session-1", iat: now, exp: now + 120, events };
    const parts: TokenParts = {
      header: { alg: "RS256", kid: "1", typ: "logout+jwt" },
      claims: { ...claims, jti: randomUUID() },
      key: ownKey,
    };
    change(parts);
    return jwtOf(parts);
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of req) body += String(chunk);
    const { pathname } = new URL(req.url ?? "", this.issuer);
    const { status = 200, type = "application/json", headers = {}, body: answer } = this.#responseTo(pathname, body);
    res.writeHead(status, { "content-type": type, ...headers });
    res.end(type === "application/json" && typeof answer !== "string" ? JSON.stringify(answer) : String(answer));
  }

  #responseTo(path: string, body: string): ProviderResponse {
    const { metadata, keys, keyResponse, grant, userInfo } = this.departures;
    if (path === "/.well-known/openid-configuration") {
      const document = this.#metadata();
      return metadata?.(document) ?? { body: document };
    }
    if (path === "/keys") {
      const set = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] };
      const response = { body: keys?.(set) ?? set };
      return keyResponse?.(response) ?? response;
    }
    if (path === "/token") {
      const response = this.#grant(new URLSearchParams(body));
      return grant?.(response) ?? response;
    }
    if (path === "/userinfo") {
      const response = { body: { sub: "s1", email: "ada@example.com", email_verified: true, name: "Ada" } };
      return userInfo?.(response) ?? response;
    }
    return { status: 404, body: {} };
  }

  #metadata(): Json {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ["RS256"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  /** Exchanges each code once, and only with the redirect URL and the PKCE verifier of its request. */
  #grant(body: URLSearchParams): ProviderResponse {
    const request = this.#requests.get(body.get("code") ?? "");
    this.#requests.delete(body.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    const isOwn = request?.get("redirect_uri") === body.get("redirect_uri");
    if (request === undefined || !isOwn || request.get("code_challenge") !== challenge)
      return { status: 400, body: { error: "invalid_grant" } };
    const now = Math.floor(Date.now() / 1_000);
    const parts: TokenParts = {
      header: { alg: "RS256", kid: "1" },
      claims: {
        iss: this.issuer,
        aud: "notes",
        sub: "s1",
        sid: "session-1",
        iat: now,
        exp: now + 300,
        nonce: request.get("nonce"),
        email: "ada@example.com",
        email_verified: true,
        name: "Ada",
      },
      key: ownKey,
    };
    this.departures.token?.(parts);
    const jwt = jwtOf(parts);
    const idToken = this.departures.jwt === undefined ? jwt : this.departures.jwt(jwt);
    return { body: { access_token: "at", token_type: "Bearer", expires_in: 300, id_token: idToken } };
  }
}

export function encodeJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Encodes and signs a JWT: with RSA, with HMAC if the key is a string, or not at all if the algorithm is `none`. */
function jwtOf({ header, claims, key }: TokenParts): string {
  const text = `${encodeJson(header)}.${encodeJson(claims)}`;
  if (header["alg"] === "none") return `${text}.`;
  const signature =
    typeof key === "string"
      ? createHmac("sha256", key).update(text).digest()
      : sign(header["alg"] === "RS512" ? "sha512" : "sha256", Buffer.from(text), key);
  return `${text}.${signature.toString("base64url")}`;
}
