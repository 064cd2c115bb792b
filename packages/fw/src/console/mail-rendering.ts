import { StatusError } from "../declare/errors.ts";
import type { MailContent } from "../declare/mail.ts";
import { indentJSON } from "../lib/indent-json.ts";
import { jsonBytes } from "../lib/limits.ts";
import { exactText } from "../lib/exact-text.ts";
import { decodeTagged } from "../lib/tagged-json.ts";
import { messageOf } from "../lib/thrown.ts";
import { operation } from "../runtime/background/operation.ts";
import { readBody } from "../runtime/body/body.ts";
import type { Request } from "../runtime/request.ts";
import type { InjectedEndpoints } from "../runtime/routing/injected-endpoint.ts";
import { messages } from "../runtime/error-messages.ts";

export interface PreviewedMail {
  readonly name: string;
  readonly data: unknown;
  /** True to use the declaration's sample, if there is one, instead of the data. */
  readonly prefersSample: boolean;
}

/** The rendered mail, or the message of the error that its code threw. */
export type RenderedMail =
  | (MailContent & {
      readonly error?: undefined;
      /** The declaration's sample as JSON, if it was used instead of the data. */
      readonly sample?: string;
    })
  | { readonly error: string };

/** The path of the operation below `/_fw/`. */
export const mailPath = "dev/operate/mail";

/** Renders a mail in the process of a service, for a console in another process. The body is a `PreviewedMail`. */
export const mailOperation: InjectedEndpoints = {
  [mailPath]: operation(async (request) => {
    const body = (await readBody(request.exchange, jsonBytes)).toString();
    return renderMail(request, decodeTagged(body) as PreviewedMail);
  }),
};

/** Renders a mail in the context of a request. If the mail names no language, the request's languages decide. */
export async function renderMail(
  { app, ctx }: Request,
  { name, data, prefersSample }: PreviewedMail,
): Promise<RenderedMail> {
  const mail = app.bundle.mails?.find((each) => each.name === name)?.declaration;
  if (mail === undefined) throw new StatusError(404, messages.notFound);
  const sample = prefersSample ? (mail.settings.sample as unknown) : undefined;
  try {
    const content = await mail.render(ctx, (sample ?? data) as never);
    return { ...content, ...(sample !== undefined && { sample: indentJSON(exactText(sample) ?? "") }) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
