import { request } from "node:http";
import { startFakeCloud, type FakeCloud, type FakeCloudOptions } from "../index.ts";

/** A response of the cloud; JSON bodies are parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // The body, whose type the test knows.
  readonly json: never;
}

export interface AskOptions {
  readonly method?: string;
  readonly as?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const member = "app@demo-fw.iam.gserviceaccount.com";
export const project = "//cloudresourcemanager.googleapis.com/projects/demo-fw";

/** Starts a cloud for one test, with a client for its hosts. */
export async function testCloud(options: FakeCloudOptions = { start: Date.UTC(2026, 10, 21) }) {
  const cloud: FakeCloud = await startFakeCloud(options);
  return Object.assign(cloud, {
    ask: (url: string, asked: AskOptions = {}) => ask(cloud, url, asked),
    [Symbol.asyncDispose]: () => cloud.stop(),
  });
}

/** Sends a request to `https://host/path` through the cloud. */
function ask(cloud: FakeCloud, url: string, { method, as, body, headers }: AskOptions): Promise<Answer> {
  const { host, pathname, search } = new URL(url);
  const content =
    body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${cloud.url}${pathname}${search}`,
      {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          host,
          ...(as !== undefined && { authorization: `Bearer ${cloud.token(as)}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = (answer.headers["content-type"] ?? "").startsWith("application/json");
          const json = (isJson && text !== "" ? JSON.parse(text) : undefined) as never;
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers as Record<string, string>, text, json });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(content);
  });
}
