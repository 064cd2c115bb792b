import type { SocketDeclaration } from "../declare/socket.ts";
import type { SignedIn } from "./signed-in.ts";
import type { TestSocket, TestSocketOptions } from "./test-socket.ts";

/** A request of a test; what `fetch` takes, and the following. Redirects are not followed unless it says so. */
export interface TestRequest extends Omit<RequestInit, "body"> {
  /** Whose session the request carries. */
  readonly as?: SignedIn;
  /** What `fetch` takes; another object or array is sent as JSON. */
  readonly body?: unknown;
}

/** A value of a form's field. */
export type FieldValue = string | number | boolean | Blob | readonly string[];

/** How a form is submitted. */
export interface SubmitOptions extends Omit<TestRequest, "body" | "method"> {
  /** The page that holds the form; by default the one at the path that it is submitted to. */
  readonly from?: string;
}

/** A browser of a test: it keeps the cookies that it is given. */
export interface TestClient {
  /** A request to a path of the application, over a real connection. */
  fetch(path: string, request?: TestRequest): Promise<Response>;
  /** Reads the form's token from its page and posts the fields with it, as multipart where one of them is a Blob. */
  submit(path: string, fields?: Readonly<Record<string, FieldValue>>, options?: SubmitOptions): Promise<Response>;
  /**
   * Opens a socket over a real connection: `app.socket(room, { id: "a" })`. Where the application refuses it, rejects with the error of
   * that status.
   */
  socket<Req, In, Out>(
    socket: SocketDeclaration<Req, In, Out>,
    request: NoInfer<Req>,
    options?: TestSocketOptions,
  ): Promise<TestSocket<In, Out>>;
}
