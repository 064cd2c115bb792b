import type { ConsoleModel } from "../../generate/console-model.ts";
import type { Exchange } from "../../runtime/exchange/exchange.ts";
import type { Request } from "../../runtime/request.ts";
import { wantsHTML } from "../../runtime/response/refusal.ts";
import { htmlType, sendText } from "../../runtime/response/send.ts";
import { welcomePage, welcomeText, type Welcome } from "./page.ts";
import { welcomePolicy } from "./style.ts";

/** True if the welcome page may be the response. Programs that accept only JSON get a 404, as in production. */
export function asksWelcome(exchange: Pick<Exchange, "method" | "target" | "header">): boolean {
  const isRead = exchange.method === "GET" || exchange.method === "HEAD";
  if (!isRead || !/^\/(?:\?|$)/.test(exchange.target)) return false;
  return /text\/(?:html|plain|\*)|\*\/\*/.test(exchange.header("accept") ?? "*/*");
}

/** The dev server's data for the welcome page. The model is undefined until shortly after the first start. */
export type WelcomeFacts = Omit<Welcome, "model" | "host"> & { readonly model: ConsoleModel | undefined };

/** Responds to a request for the root of an application that has no route there. */
export function sendWelcome(request: Request, { model, ...facts }: WelcomeFacts): void {
  if (model === undefined) return sendText(request, 503, "text/plain; charset=utf-8", ["Retry-After", "1"], starting);
  const headers = ["Cache-Control", "no-store", "Vary", "Accept"];
  const welcome = { ...facts, model, host: request.exchange.header("host") ?? "localhost" };
  if (!wantsHTML(request)) return sendText(request, 200, "text/plain; charset=utf-8", headers, welcomeText(welcome));
  sendText(request, 200, htmlType, [...headers, "Content-Security-Policy", welcomePolicy], welcomePage(welcome));
}

const starting = "the application has just started; reload in a second\n";
