/** Creates an exchange that arrives complete, with JSON if `json` is set, and discards its response. */
export function exchangeOf(method, target, json) {
  const body = Buffer.from(json ?? "");
  const headers = {
    host: "localhost",
    ...(json !== undefined && { "content-type": "application/json", "content-length": String(body.length) }),
  };
  return {
    method,
    target,
    version: "1.1",
    address: "127.0.0.1",
    rawHeaders: [],
    isOpen: true,
    isComplete: true,
    waitsToSend: false,
    hasBegun: false,
    status: 0,
    header: (name) => headers[name],
    read(reader) {
      reader.take(body);
      reader.end(true);
    },
    send(status) {
      if (status !== 200) throw new Error(`the handler responded with ${status}`);
      this.hasBegun = true;
      this.status = status;
    },
    release() {},
    offGone() {},
  };
}
