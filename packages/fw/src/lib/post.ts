import { request } from "node:http";
import { text } from "node:stream/consumers";

export interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts the request and closes the connection. There is no other timeout. */
  readonly signal?: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Posts to a process on this machine. Unlike `fetch`, waits for the response indefinitely. */
export function post(url: string, { headers, body, signal }: Posted): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const length = { "content-length": String(Buffer.byteLength(body)) };
    const options = { method: "POST", headers: { ...headers, ...length }, agent: false, ...(signal && { signal }) };
    const clientRequest = request(url, options, (answer) => {
      const { statusCode = 0, headers: said } = answer;
      text(answer).then(
        (read) => resolve({ status: statusCode, type: said["content-type"] ?? "", text: read }),
        (error: unknown) => reject(error as Error),
      );
    });
    clientRequest.on("error", reject).end(body);
  });
}
