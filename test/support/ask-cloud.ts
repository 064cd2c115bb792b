import { request } from "node:http";
import type { FakeCloud } from "../../packages/fake-cloud/src/index.ts";

/** A response from a service behind the cloud. */
export interface CloudAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** Calls a Cloud Run service at its own address, like an external client. */
export function askCloud(
  fake: FakeCloud,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  { method = "GET", body }: { readonly method?: string; readonly body?: string } = {},
): Promise<CloudAnswer> {
  const { host, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request(`${fake.url}${pathname}${search}`, { method, headers: { host, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}
