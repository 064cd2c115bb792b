import type { Exchange } from "../api.ts";
import type { Cloud } from "../cloud.ts";

/** Serves the key sets that verify Google's tokens. Returns false, with nothing sent, for any other request. */
export async function keySets(cloud: Cloud, { request, response, host, path }: Exchange): Promise<boolean> {
  const keys = host === "www.googleapis.com" && request.method === "GET" ? keysAt(cloud, path) : undefined;
  if (!keys) return false;
  response.writeHead(200, {
    "content-type": "application/json; charset=UTF-8",
    "cache-control": "public, max-age=21600, must-revalidate, no-transform",
  });
  response.end(JSON.stringify(await keys.jwks()));
  return true;
}

function keysAt(cloud: Cloud, path: string): Cloud["tokens"]["google"] | undefined {
  if (path === "/oauth2/v3/certs") return cloud.tokens.google;
  const account = /^\/service_accounts\/v1\/jwk\/(.+)$/.exec(path)?.[1];
  if (account === undefined) return undefined;
  const email = decodeURIComponent(account);
  return email === "securetoken@system.gserviceaccount.com" ? cloud.tokens.securetoken : cloud.tokens.keysOf(email);
}
