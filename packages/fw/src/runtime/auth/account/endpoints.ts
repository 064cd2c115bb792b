import { isStatusError, NotFound } from "../../../declare/errors.ts";
import { queryPairs, queryText } from "../../decode/query-string.ts";
import { refusalOf, sendRefusal, setRetryAfter } from "../../response/refusal.ts";
import { sendEmpty, sendText } from "../../response/send.ts";
import type { Request } from "../../request.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../../routing/injected-endpoint.ts";
import { type Fields, readFields, requiredValue, valueOf } from "../fields.ts";
import { localPath } from "../next.ts";
import { forOwnPage } from "../own-page.ts";
import { framedDocument, sendFramed } from "../page-frame.ts";
import { targetOf } from "../sign-in.ts";
import { changeOwnAccount, ownAccountPage, type Outcome } from "./account-endpoint.ts";
import { followLink, linkPage } from "./link-endpoint.ts";
import { mailReset, mailSignUp } from "./mails.ts";
import { codePage, type Content, deadLinkPage, forgotPage, type FormState, sentPage, signUpPage } from "./markup.ts";
import { countMail } from "./rates.ts";
import type { CodeNeeded } from "./second-step.ts";

/** The pages of accounts, for applications whose Auth has `account`. */
export const accountEndpoints: InjectedEndpoints = {
  signup: endpoint(showSignUp, requestSignUp),
  forgot: endpoint(showForgot, requestReset),
  "link/": endpoint(showLink, useLink),
  account: endpoint(showAccount),
  "account/": endpoint(redirectToAccount, changeAccount),
};

type Answer = (request: Request, rest: string) => Promise<void>;

/**
 * Creates an endpoint that shows a page and, with `take`, accepts its form. Responds with 404 if an identity provider
 * manages accounts or Auth lacks `account`.
 */
function endpoint(show: Answer, take?: Answer): InjectedEndpoint {
  const answer: Answer = async (request, rest) => {
    if (request.app.settings.signIn === "provider" || !targetOf(request).auth.account) throw NotFound();
    await (request.exchange.method === "POST" && take ? take(request, rest) : show(request, rest));
  };
  return { methods: ["GET", "HEAD", ...(take ? ["POST"] : [])], handle: forOwnPage(answer) };
}

async function showSignUp(request: Request): Promise<void> {
  requireSignUp(request);
  const next = localPath(queryOf(request, "next"));
  send(request, 200, queryOf(request, "sent") === undefined ? signUpPage(next, {}) : sentPage);
}

async function requestSignUp(request: Request): Promise<void> {
  requireSignUp(request);
  const fields = await readFields(request);
  const next = localPath(valueOf(fields, "next"));
  const page = (state: FormState): Content => signUpPage(next, state);
  await requestMail(request, fields, {
    page,
    path: "/_fw/signup",
    mail: (email) => mailSignUp(targetOf(request), email, next),
  });
}

function requireSignUp(request: Request): void {
  if (targetOf(request).auth.signUp !== true) throw NotFound();
}

async function showForgot(request: Request): Promise<void> {
  send(request, 200, queryOf(request, "sent") === undefined ? forgotPage({}) : sentPage);
}

async function requestReset(request: Request): Promise<void> {
  const fields = await readFields(request);
  await requestMail(request, fields, {
    page: forgotPage,
    path: "/_fw/forgot",
    mail: (email) => mailReset(targetOf(request), email),
  });
}

interface MailForm {
  readonly path: string;
  readonly page: (state: FormState) => Content;
  readonly mail: (email: string) => Promise<void>;
}

/** Handles a form that requests a mail. The response does not reveal whether the address has an account. */
async function requestMail(request: Request, fields: Fields, { page, path, mail }: MailForm): Promise<void> {
  const email = requiredValue(fields, "email").trim();
  await orShow(
    request,
    fields,
    (refusal) => page({ refusal, email }),
    async () => {
      await countMail(targetOf(request).platform, email, request.ctx.client.ip);
      await mail(email);
      finish(request, fields, `${path}?sent`);
    },
  );
}

async function showLink(request: Request, token: string): Promise<void> {
  const content = await linkPage(request, token);
  send(request, content === deadLinkPage ? 410 : 200, content);
}

async function useLink(request: Request, token: string): Promise<void> {
  const fields = await readFields(request);
  const again = (refusal: string): Promise<Content> =>
    linkPage(request, token, { refusal, name: valueOf(fields, "name") ?? "" });
  await orShow(request, fields, again, async () => finish(request, fields, await followLink(request, token, fields)));
}

async function showAccount(request: Request): Promise<void> {
  const page = await ownAccountPage(request, queryOf(request, "done"));
  if (page === undefined) return redirect(request, "/_fw/signin?next=%2F_fw%2Faccount");
  send(request, 200, page);
}

/** Redirects a browser from the address of a form to the account page. */
async function redirectToAccount(request: Request): Promise<void> {
  redirect(request, "/_fw/account");
}

async function changeAccount(request: Request, action: string): Promise<void> {
  const fields = await readFields(request);
  const { outcome, status } = await changeOwnAccount(request, action, fields);
  finish(request, fields, outcome, status);
}

/** Sends the page for the second step, after the password and again after a wrong code. */
export function sendCodePage(request: Request, { challenge, message }: CodeNeeded, fields: Fields): void {
  const isSecond = valueOf(fields, "challenge") !== undefined;
  send(request, 401, codePage(challenge, localPath(valueOf(fields, "next")), isSecond ? message : undefined));
}

/**
 * Calls `work` to handle a form. If it throws a refusal, shows the form again with the reason, or sends the refusal as
 * JSON to a program.
 */
async function orShow(
  request: Request,
  fields: Fields,
  again: (refusal: string) => Content | Promise<Content>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isStatusError(error)) throw error;
    setRetryAfter(request, error);
    if (fields.where !== "form") return sendRefusal(request, refusalOf(error) ?? error, true, "no-store");
    send(request, error.status, await again(error.message));
  }
}

/** Sends a page. For a path, redirects a form, and sends the path as JSON to a program. */
function finish(request: Request, fields: Fields, outcome: Outcome, status = 200): void {
  if (typeof outcome !== "string") return send(request, status, outcome);
  if (fields.where === "form") return redirect(request, outcome);
  sendText(request, 200, "application/json", ["Cache-Control", "no-store"], JSON.stringify({ next: outcome }));
}

function redirect(request: Request, path: string): void {
  sendEmpty(request, 303, ["Cache-Control", "no-store", "Location", path]);
}

function send(request: Request, status: number, { heading, content }: Content): void {
  const { app } = request.app.bundle;
  const { style } = targetOf(request).auth;
  sendFramed(request, status, framedDocument({ app, title: heading, heading, content, style }));
}

function queryOf({ query }: Request, name: string): string | undefined {
  return queryText(queryPairs(query), name, `query ${name}`);
}
