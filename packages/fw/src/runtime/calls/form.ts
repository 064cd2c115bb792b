import { PassThrough } from "node:stream";
import { readMultipart } from "../body/multipart.ts";
import type { RemoteRequest } from "../bundle.ts";
import type { FormFields } from "../decode/raw-request.ts";
import { ReadableBody } from "../exchange/readable-body.ts";
import { bodyOf } from "../remote/body.ts";

/** A form that was sent to an endpoint in this process. */
export interface SentForm {
  readonly form: FormFields;
  /** Frees what its files occupy, unless somebody keeps them. */
  release(): void;
  /** Keeps the files until what it returns is called: a Blob that was answered may read from them. */
  keep(): () => void;
}

/** Writes a form and reads it, as two services do: with copies of its files, and within the limits of a form. */
export async function readSentForm(fields: NonNullable<RemoteRequest["form"]>): Promise<SentForm> {
  const body = bodyOf({ path: "", form: fields });
  const wire = new PassThrough();
  const headers = new Map([["content-type", body.type]]);
  if (body.length !== undefined) headers.set("content-length", String(body.length));
  const source = Object.assign(new ReadableBody(wire), { header: (name: string) => headers.get(name) });
  try {
    body.send({ req: wire, isOpen: () => !wire.destroyed }, { moved() {} });
    const read = await readMultipart(source);
    let kept = false;
    return {
      form: read.form,
      release: () => void (kept || read.dispose()),
      keep() {
        kept = true;
        return () => void read.dispose();
      },
    };
  } catch (error) {
    // A file that failed is what went wrong, not that the form ends there.
    throw wire.errored ?? error;
  } finally {
    wire.destroy();
  }
}
