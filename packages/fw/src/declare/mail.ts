import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { Duration } from "./duration.ts";
import type { HTML } from "./html.ts";
import type { QueueDeclaration } from "./queue.ts";
import { hosted } from "./slot.ts";

/** The name and email address of a recipient. */
export interface MailAddress {
  /** "" if unknown. */
  name: string;
  address: string;
}

/** A mail, as its worker receives it. Mail libraries accept these fields. */
export interface MailMessage {
  /** The name of the `Mail` that rendered it. */
  mail: string;
  to: MailAddress;
  subject: string;
  text: string;
  html: string;
}

/** The content of a mail. */
export type MailContent = Pick<MailMessage, "subject" | "text" | "html">;

/** Settings of a mail. */
export interface MailConfig<Data> {
  /** The queue whose worker sends the mail. */
  readonly queue: QueueDeclaration<MailMessage>;
  /** Example data for the preview in the console of `fw dev`. */
  readonly sample?: Data;
}

/** Options of `mail.send`. */
export interface MailOptions {
  /** One address, with or without a name. */
  readonly to: string | MailAddress;
  /** The delay before the first delivery, at most 30 days. */
  readonly delay?: Duration;
}

/** The result of `Mail`. */
export interface MailDeclaration<Data = never> {
  /** @internal */
  readonly kind: "mail";
  /** The name, as written. */
  readonly name: string;
  /** @internal */
  readonly document: (ctx: Context, data: Data) => HTML;
  /** @internal */
  readonly settings: MailConfig<Data>;
  /** Renders the mail. The document's title becomes the subject, and its content without markup becomes the text. */
  render(ctx: Context, data: Data): Promise<MailContent>;
  /**
   * Renders the mail, sends it to the queue and resolves with the message's id. Inside a transaction, the mail is sent
   * if and only if the transaction commits.
   */
  send(ctx: Context, data: Data, options: MailOptions): Promise<string>;
}

/**
 * Declares a mail: `export const welcome = Mail("welcome", (ctx, data: Welcome) => site.fragment(ctx,
 * "mails/welcome.html", data), { queue: mails })`. A `Worker` of the queue sends it.
 */
export function Mail<Data>(
  name: string,
  document: (ctx: Context, data: Data) => HTML,
  settings: MailConfig<NoInfer<Data>>,
): MailDeclaration<Data> {
  const mail: MailDeclaration<Data> = {
    kind: "mail",
    name,
    document,
    settings,
    render: async (ctx, data) => hosted<MailHost>(ctx).mails.content(name, document(ctx, data)),
    async send(ctx, data, { to, ...options }) {
      const message = await hosted<MailHost>(ctx).mails.message(name, to, document(ctx, data));
      return settings.queue.send(ctx, message, options);
    },
  };
  return recordDeclaration(mail);
}

/** The part of the Host that converts documents to mails. */
export interface MailHost {
  readonly mails: {
    /** Converts a document to the content of a mail: the subject, the text and the HTML. */
    content(mail: string, document: HTML): Promise<MailContent>;
    /** Converts a document to a mail for a recipient; throws for anything but a single address. */
    message(mail: string, to: string | MailAddress, document: HTML): Promise<MailMessage>;
  };
}
