import type { SocketDeclaration } from "../declare/socket.ts";
import type { SignedIn } from "./signed-in.ts";
import type { TestSocket, TestSocketOptions } from "./test-socket.ts";

/** Options for a test's request, in addition to the options of `fetch`. By default, redirects are not followed. */
export interface TestRequest extends Omit<RequestInit, "body"> {
  /** The user whose session the request carries. */
  readonly as?: SignedIn;
  /** A body that `fetch` accepts; other objects and arrays are sent as JSON. */
  readonly body?: unknown;
}

/** A value of a form field. */
export type FieldValue = string | number | boolean | Blob | readonly string[];

/** Options for submitting a form. */
export interface SubmitOptions extends Omit<TestRequest, "body" | "method"> {
  /** The page with the form. By default, the path that the form is sent to. */
  readonly from?: string;
}

/** A simulated browser for tests; stores cookies. */
export interface TestClient {
  /** Sends a request to a path of the application over a real connection. */
  readonly fetch: (path: string, request?: TestRequest) => Promise<Response>;
  /**
   * Reads the token from the form's page and posts it with the fields. Uses multipart if the form says so or a field is
   * a Blob.
   */
  submit(path: string, fields?: Readonly<Record<string, FieldValue>>, options?: SubmitOptions): Promise<Response>;
  /**
   * Opens a socket over a real connection: `app.socket(room, { id: "a" })`. If the application refuses it, rejects with
   * an error that has the response's status.
   */
  socket<Req, In, Out>(
    socket: SocketDeclaration<Req, In, Out>,
    request: NoInfer<Req>,
    options?: TestSocketOptions,
  ): Promise<TestSocket<In, Out>>;
}
