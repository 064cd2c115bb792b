import type { IncomingMessage, ServerResponse } from "node:http";
import type { Project } from "../project.ts";
import type { Tokens } from "./tokens.ts";

const root = "/computeMetadata/v1/";

/** Returns the request handler of the metadata server for an instance that runs as a service account. */
export function metadataServer(email: string, project: Project, tokens: Tokens, instance: string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://metadata.google.internal");
    const answer = async (): Promise<{ status: number; text: string; json?: boolean }> => {
      if (request.headers["metadata-flavor"] !== "Google" || request.headers["x-forwarded-for"] !== undefined) {
        return {
          status: 403,
          text: "Your client does not have permission to get URL from this server. Missing Metadata-Flavor:Google header.\n",
        };
      }
      if (!url.pathname.startsWith(root)) return { status: 404, text: "404 page not found\n" };
      return valueOf(url.pathname.slice(root.length).replace(/\/$/, ""), url.searchParams);
    };
    const { status, text, json } = await answer();
    response.writeHead(status, {
      "content-type": json ? "application/json" : "application/text",
      "metadata-flavor": "Google",
      server: "Metadata Server for Serverless",
    });
    response.end(text);
  };

  async function valueOf(
    path: string,
    query: URLSearchParams,
  ): Promise<{ status: number; text: string; json?: boolean }> {
    const account = /^instance\/service-accounts\/([^/]+)\/(\w+)$/.exec(path);
    if (account) {
      const [, name, what] = account;
      if (name !== "default" && name !== email) return { status: 404, text: "404 page not found\n" };
      if (what === "token") {
        const { token, seconds } = tokens.access(email);
        return {
          status: 200,
          json: true,
          text: JSON.stringify({ access_token: token, expires_in: seconds, token_type: "Bearer" }),
        };
      }
      if (what === "identity") {
        const audience = query.get("audience");
        if (!audience) return { status: 400, text: "non-empty audience parameter required\n" };
        return { status: 200, text: await tokens.id(email, audience) };
      }
    }
    const values: Readonly<Record<string, string>> = {
      "project/project-id": project.id,
      "project/numeric-project-id": project.number,
      "instance/region": `projects/${project.number}/regions/${project.region}`,
      "instance/zone": `projects/${project.number}/zones/${project.region}-1`,
      "instance/id": instance,
      "instance/service-accounts": `default/\n${email}/\n`,
      "instance/service-accounts/default/email": email,
      "instance/service-accounts/default/scopes": "https://www.googleapis.com/auth/cloud-platform\n",
      "universe/universe-domain": "googleapis.com",
    };
    const text = values[path];
    return text === undefined ? { status: 404, text: "404 page not found\n" } : { status: 200, text };
  }
}
