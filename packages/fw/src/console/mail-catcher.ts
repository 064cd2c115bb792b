import { randomBytes } from "node:crypto";
import type { SentObserver } from "../platform/local/observe-sent.ts";
import { BoundedList } from "./bounded-list.ts";

/** The most mails that the console keeps, and the approximate limit of their bytes. */
const mailBounds = { entries: 200, bytes: 16_000_000 };

/** A mail that the application sent since the start of the dev server. */
export interface CaughtMail {
  /** Random, because the address of its document contains it. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly mail: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Keeps the newest mails that the application puts into queues, so that developers need no mail server. */
export class MailCatcher {
  readonly #mails = new BoundedList<CaughtMail>(mailBounds, ({ html, text }) => 2 * (html.length + text.length));

  /** Keeps a message if it is a mail. */
  readonly observer: SentObserver = ({ kind }, body) => {
    const mail = kind === "queue" && body.includes('"html"') ? mailIn(JSON.parse(body)) : undefined;
    if (mail !== undefined) this.#mails.add({ ...mail, id: randomBytes(16).toString("base64url"), at: Date.now() });
  };

  /** Returns the mails without their documents, the newest first. */
  list(): readonly Omit<CaughtMail, "html">[] {
    return this.#mails
      .after(0)
      .map(({ html: _html, ...mail }) => mail)
      .toReversed();
  }

  /** Returns the document of a mail; undefined if there is none. */
  document(id: string): string | undefined {
    return this.#mails.findLast((mail) => mail.id === id)?.html;
  }
}

type Content = Omit<CaughtMail, "id" | "at">;

/** Returns the mail in the body of a message, which a queue of tenants wraps. */
function mailIn(body: unknown): Content | undefined {
  const candidates = typeof body === "object" && body !== null ? [body, ...(Object.values(body) as unknown[])] : [];
  return candidates.find(isMail);
}

function isMail(value: unknown): value is Content {
  if (typeof value !== "object" || value === null) return false;
  const { mail, to, subject, text, html } = value as Partial<Record<keyof Content, unknown>>;
  return [mail, subject, text, html].every((each) => typeof each === "string") && typeof to === "object";
}
