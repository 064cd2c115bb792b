import { cloudAttemptMs } from "../../lib/limits.ts";
import type { Connections } from "../../platform/gcp/rest/connections.ts";
import type { Hosts } from "../../platform/gcp/rest/hosts.ts";
import { textAnswer } from "../../platform/gcp/rest/text-answer.ts";

/** A token, and when it ends in milliseconds since 1970. */
export interface Token {
  readonly text: string;
  readonly ends: number;
}

/** How one token is had for another. */
export interface Ask {
  /** What an OAuth endpoint gives for a form. */
  form(url: string, fields: Readonly<Record<string, string>>): Promise<Token>;
  /** A token of a service account, for one of somebody who may act as it. */
  impersonated(url: string, token: string): Promise<Token>;
  /** What a URL answers, as text. */
  get(url: string, headers: Readonly<Record<string, string>>): Promise<string>;
}

export const scope = "https://www.googleapis.com/auth/cloud-platform";

export function asksBy(connections: Connections, hosts: Hosts): Ask {
  const send = async (
    method: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<string> => {
    const { origin, pathname, search, host } = new URL(url);
    const target = hosts(new URL(origin));
    const path = `${pathname}${search}`;
    const name = `${method} ${host}${pathname}`;
    return textAnswer(connections, { target, method, path, headers, body, answerMs: cloudAttemptMs }, name);
  };
  return {
    async form(url, fields) {
      const asked = Date.now();
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const said = await send("POST", url, headers, new URLSearchParams(fields).toString());
      const { access_token, expires_in = 3600 } = JSON.parse(said) as { access_token: string; expires_in?: number };
      return { text: access_token, ends: asked + expires_in * 1000 };
    },
    async impersonated(url, token) {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const said = await send("POST", url, headers, JSON.stringify({ scope: [scope] }));
      const { accessToken, expireTime } = JSON.parse(said) as { accessToken: string; expireTime: string };
      return { text: accessToken, ends: Date.parse(expireTime) };
    },
    get: (url, headers) => send("GET", url, headers),
  };
}
