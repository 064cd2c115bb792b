import { createHash, type Hash } from "node:crypto";
import type { ReadForm } from "../body/multipart.ts";
import type { FormFields } from "../decode/raw-request.ts";
import type { Request } from "../request.ts";

/** One submit of a form whose page has `once`. */
export interface Submission {
  /** Identical for every submit of a form with the same content. */
  readonly id: string;
  /** Settles when the handler has ended; undefined until the handler is called. */
  running?: Promise<unknown>;
}

const submissions = new WeakMap<Request, Submission>();

export function submissionOf(request: Request): Submission | undefined {
  return submissions.get(request);
}

/**
 * Identifies a submit by its path, query, form and htmx prompt. The CSRF token makes it unique to one rendered page.
 */
export async function noteSubmission(request: Request, read: ReadForm | undefined): Promise<void> {
  const { exchange, route, path, query } = request;
  const hash = createHash("sha256");
  // Include the user's input to hx-prompt, which is sent in a header.
  hash.update(JSON.stringify([exchange.header("x-csrf-token"), exchange.header("hx-prompt"), route, path, query]));
  if (read !== undefined) await addForm(hash, read.form);
  submissions.set(request, { id: hash.digest("base64url") });
}

/** Calls `dispose` once the request is over and any handler that outlives it has ended. */
export function disposeAfter(request: Request, dispose: () => void): void {
  request.exchange.onceOver(() => {
    const running = submissions.get(request)?.running;
    if (running === undefined) return dispose();
    void running.then(dispose, dispose);
  });
}

async function addForm(hash: Hash, { values, files }: FormFields): Promise<void> {
  hash.update(JSON.stringify([...values]));
  for (const [field, blobs] of files) {
    for (const blob of blobs) {
      hash.update(JSON.stringify([field, blob.name, blob.type]));
      for await (const bytes of blob.stream()) hash.update(bytes);
    }
  }
}
