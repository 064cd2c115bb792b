import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

/** A mail as the server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly headers: string;
  readonly body: string;
}

export interface SMTPSink extends AsyncDisposable {
  readonly url: string;
  /** Resolves with the next mail that was not returned before. */
  next(): Promise<ReceivedMail>;
}

/** Starts a mail server on this machine that keeps every mail. */
export async function startSMTPSink(): Promise<SMTPSink> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let arrived = (): void => {};
  const server = createServer((socket) => {
    sockets.add(socket.once("close", () => sockets.delete(socket)));
    converse(socket, (mail) => {
      mails.push(mail);
      arrived();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async next() {
      while (mails.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
      return mails.shift() as ReceivedMail;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), "close");
    },
  };
}

function converse(socket: Socket, receive: (mail: ReceivedMail) => void): void {
  let [from, text, isData] = ["", "", false];
  let to: string[] = [];
  socket.write("220 sink\r\n");
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString();
    for (;;) {
      const end = text.indexOf(isData ? "\r\n.\r\n" : "\r\n");
      if (end === -1) return;
      const part = text.slice(0, end);
      text = text.slice(end + (isData ? 5 : 2));
      if (isData) {
        const [headers = "", ...body] = part.split("\r\n\r\n");
        receive({ from, to, headers, body: body.join("\r\n\r\n") });
        [isData, to] = [false, []];
      } else if (/^MAIL FROM:/i.test(part)) from = part.slice("MAIL FROM:".length);
      else if (/^RCPT TO:/i.test(part)) to.push(part.slice("RCPT TO:".length));
      isData = /^DATA$/i.test(part);
      socket.write(isData ? "354 go on\r\n" : /^QUIT$/i.test(part) ? "221 bye\r\n" : "250 ok\r\n");
    }
  });
  socket.on("error", () => socket.destroy());
}
