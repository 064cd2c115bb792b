import { cloudAttemptMs } from "../../lib/limits.ts";
import type { Connections, Outgoing } from "../../platform/gcp/rest/connections.ts";
import type { Hosts } from "../../platform/gcp/rest/hosts.ts";
import type { Token } from "../../platform/gcp/rest/identity.ts";
import { textAnswer } from "../../platform/gcp/rest/text-answer.ts";

export const scope = "https://www.googleapis.com/auth/cloud-platform";

export class TokenClient {
  readonly #connections: Connections;
  readonly #hosts: Hosts;

  constructor(connections: Connections, hosts: Hosts) {
    this.#connections = connections;
    this.#hosts = hosts;
  }

  /** Sends a form to an OAuth endpoint and returns the token. */
  async form(url: string, fields: Readonly<Record<string, string>>): Promise<Token> {
    const requestedAt = Date.now();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const response = await this.#text(url, { method: "POST", headers, body: new URLSearchParams(fields).toString() });
    const { access_token, expires_in = 3600 } = JSON.parse(response) as { access_token: string; expires_in?: number };
    return { text: access_token, ends: requestedAt + expires_in * 1000 };
  }

  /** Returns a token for a service account that the caller may impersonate. */
  async impersonated(url: string, token: string): Promise<Token> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const response = await this.#text(url, { method: "POST", headers, body: JSON.stringify({ scope: [scope] }) });
    const { accessToken, expireTime } = JSON.parse(response) as { accessToken: string; expireTime: string };
    return { text: accessToken, ends: Date.parse(expireTime) };
  }

  get(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
    return this.#text(url, { method: "GET", headers });
  }

  #text(url: string, request: Pick<Outgoing, "method" | "headers" | "body">): Promise<string> {
    const { origin, pathname, search, host } = new URL(url);
    const outgoing = { ...request, target: this.#hosts(new URL(origin)), path: `${pathname}${search}` };
    const name = `${request.method} ${host}${pathname}`;
    return textAnswer(this.#connections, { ...outgoing, answerMs: cloudAttemptMs }, name);
  }
}
