import type { MailForm } from "../generate/mail-forms.ts";
import type { ValueDecoder } from "../generate/value-decoder.ts";
import type { Request } from "../runtime/request.ts";
import { decodeJson } from "./decode-json.ts";
import { BadInput, text, type Input } from "./input.ts";
import type { RenderedMail } from "./mail-rendering.ts";
import type { ConsoleParts } from "./parts.ts";

/**
 * Renders a mail with the input's JSON data, or with a sample if the input has none. Returns the problems with the
 * data, or the rendered mail with the id by which the page loads its document.
 */
export async function previewMail(input: Input, parts: ConsoleParts, request: Request): Promise<unknown> {
  const form = formOf(input, parts);
  const prefersSample = input["json"] === undefined;
  const json = prefersSample ? (form.data?.sample ?? "") : text(input, "json");
  const shown = { json, isEditable: form.data?.decoder !== undefined };
  const decoded = decode(form.data?.decoder, json);
  if ("problems" in decoded) return { ...shown, problems: decoded.problems };
  const rendered = await parts.renderMail?.(request, { name: form.name, data: decoded.value, prefersSample });
  return { ...shown, ...resultOf(rendered, form, parts) };
}

function formOf(input: Input, { model }: ConsoleParts): MailForm {
  const name = text(input, "name");
  const form = model()?.mails?.find((mail) => mail.name === name);
  if (form === undefined) throw new BadInput(`there is no mail "${name}"`);
  return form;
}

/** Describes a rendered mail for the page. The result is empty outside development, where the page has no previews. */
function resultOf(rendered: RenderedMail | undefined, form: MailForm, { mails }: ConsoleParts): object {
  if (rendered === undefined) return {};
  if (rendered.error !== undefined) return { problems: [rendered.error, ...(form.data === undefined ? [noData] : [])] };
  const { html, sample, ...content } = rendered;
  const mail = { ...content, id: mails?.addPreview(html) };
  return { ...(sample !== undefined && { json: sample }), problems: [], mail };
}

const noData = "the type of its data cannot be written as JSON: declare a sample of the data";

/** Decodes the data of a mail. Without a decoder, the value is undefined. */
function decode(
  decoder: ValueDecoder | undefined,
  json: string,
): { readonly value: unknown } | { readonly problems: readonly string[] } {
  if (decoder === undefined) return { value: undefined };
  const decoded = decodeJson(decoder, json);
  if (!("problems" in decoded)) return decoded;
  return { problems: decoded.problems.map(({ at, problem }) => (at === "" ? problem : `data ${at}: ${problem}`)) };
}
