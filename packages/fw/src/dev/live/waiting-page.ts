import { escapeHTML } from "../../lib/html.ts";
import type { Request } from "../../runtime/request.ts";
import { sendBytes } from "../../runtime/response/send.ts";
import { liveTag } from "./endpoint.ts";
import { initialState, type LiveState, type Problem } from "./state.ts";

/** Responds with 503 while no application is running, in the format that the client accepts. */
export function sendWaitingPage(request: Request, state: LiveState): void {
  const [type, text] = bodyFor(request.exchange.header("accept") ?? "", state.errors);
  const body = Buffer.from(text);
  const content = ["Content-Type", `${type}; charset=utf-8`, "Content-Length", body.byteLength];
  // Closes the connection, so that the client's next request can reach the application.
  request.exchange.closeAfter();
  sendBytes(request, 503, [...content, "Cache-Control", "no-store", "Retry-After", "1"], body);
}

function bodyFor(accept: string, errors: readonly Problem[]): [type: string, body: string] {
  if (accept.includes("text/html")) return ["text/html", page(errors)];
  if (accept.includes("json"))
    return ["application/json", JSON.stringify({ error: sentence(errors), problems: errors })];
  return ["text/plain", `${sentence(errors)}\n\n${errors.map(asText).join("\n\n")}\n`];
}

function sentence(errors: readonly Problem[]): string {
  return errors.length === 0 ? "the application is starting" : "the application cannot start: it has errors";
}

function asText(problem: Problem): string {
  const head = `${problem.at ? `${problem.at}: ` : ""}${problem.message} (${problem.code})`;
  return [head, problem.hint, problem.frame].filter((line) => line !== undefined).join("\n");
}

function page(errors: readonly Problem[]): string {
  return `<!doctype html>
<html lang="en" data-fw-waiting>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHTML(sentence(errors))}</title>
<style>body{margin:0;padding:4vh 4vw;background:#0c0d10;color:#e8e6e3;font:14px/1.5 ui-sans-serif,system-ui,sans-serif}pre{white-space:pre-wrap}</style></head>
<body><h1>${escapeHTML(sentence(errors))}</h1>${errors.map((problem) => `<pre>${escapeHTML(asText(problem))}</pre>`).join("\n")}
${liveTag(initialState)}
</body></html>
`;
}
