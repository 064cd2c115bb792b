import { createServer, type AddressInfo, type Socket } from "node:net";
import { frames, FrameWriter, readFrames } from "../../service/local/relay/frames.ts";
import { readRequestHead } from "../../service/local/relay/heads.ts";

export interface FakeService extends AsyncDisposable {
  readonly port: number;
}

type OnRequest = (id: number, writer: FrameWriter, socket: Socket, target: string) => void;
type OnBody = (id: number, body: string, writer: FrameWriter) => void;

/** Starts a service that exchanges frames with the front as the test specifies. */
export async function openFakeService(onRequest: OnRequest, onBody: OnBody = () => {}): Promise<FakeService> {
  const server = createServer((socket) => {
    const writer = new FrameWriter(socket);
    const bodies = new Map<number, string>();
    socket.on("error", () => {});
    readFrames(socket, (kind, id, payload) => {
      if (kind === frames.hello) writer.signal(frames.welcome, 0);
      if (kind === frames.request) onRequest(id, writer, socket, readRequestHead(payload.toString("latin1")).target);
      if (kind === frames.data) bodies.set(id, `${bodies.get(id) ?? ""}${payload.toString("latin1")}`);
      if (kind === frames.end) onBody(id, bodies.get(id) ?? "", writer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
