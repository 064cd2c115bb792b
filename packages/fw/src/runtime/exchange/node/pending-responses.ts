import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface HttpSocket extends Socket {
  /** The response that node is sending on this connection, if any; it has no public name. */
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Calls back once the responses to earlier requests of a connection were sent, now if there are none, unless the
 * connection ends with them. For a request that node has stopped parsing for: it no longer passes on when the
 * connection drains.
 */
export function afterResponses(socket: HttpSocket, then: () => void): void {
  const drained = (): void => void socket._httpMessage?.emit("drain");
  socket.on("drain", drained);
  const proceed = (): void => {
    const response = socket._httpMessage;
    // Node assigns the next response to the connection before it closes this one.
    if (response) return void response.once("close", proceed);
    socket.off("drain", drained);
    if (!socket.destroyed && socket.writable) then();
  };
  proceed();
}
