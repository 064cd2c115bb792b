import { PassThrough } from "node:stream";
import { readMultipart } from "../body/multipart.ts";
import type { RemoteRequest } from "../bundle.ts";
import type { FormFields } from "../decode/raw-request.ts";
import { ReadableBody } from "../exchange/readable-body.ts";
import { bodyOf } from "../remote/body.ts";

/** A form passed to an endpoint in this process. */
export interface ParsedForm {
  readonly form: FormFields;
  /** Releases the form's files, except those that were kept. */
  release(): void;
  /** Keeps the files until the returned function is called, because a returned Blob may read from them. */
  keep(): () => void;
}

/** Serializes and parses a form, as between two services: copies its files and applies the form limits. */
export async function copyForm(fields: NonNullable<RemoteRequest["form"]>): Promise<ParsedForm> {
  const body = bodyOf({ path: "", form: fields });
  const wire = new PassThrough();
  const headers = new Map([["content-type", body.type]]);
  if (body.length !== undefined) headers.set("content-length", String(body.length));
  const source = Object.assign(new ReadableBody(wire), { header: (name: string) => headers.get(name) });
  try {
    body.send({ req: wire, isOpen: () => !wire.destroyed }, { progress() {} });
    const read = await readMultipart(source);
    let isKept = false;
    return {
      form: read.form,
      release: () => void (isKept || read.dispose()),
      keep() {
        isKept = true;
        return () => void read.dispose();
      },
    };
  } catch (error) {
    // The error of a failed file is the cause, not the truncated form.
    throw wire.errored ?? error;
  } finally {
    wire.destroy();
  }
}
