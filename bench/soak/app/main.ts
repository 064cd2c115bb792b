// The parts that a soak test stresses: sessions, messages, uploads and endless responses.
import { API, Auth, blob, Bucket, Entity, Queue, Worker } from "fw";
import type { Blob, Form, ID, Int, Path } from "fw";
import { version } from "./version.ts";

export const auth = Auth({ social: true, password: true });
export const photos = Bucket("photos");

export interface Task {
  n: Int;
}
export const tasks = Queue<Task>("tasks");

export interface Tally {
  id: ID;
  handled: Int;
}
export const tallies = Entity<Tally>("tallies");

let handled = 0;
export const work = Worker(
  tasks,
  async (ctx) => {
    // Stores the sum only occasionally: writing for each message would measure entities instead.
    if (++handled % 100 === 0) await tallies.put(ctx, { id: "tasks", handled });
  },
  { maxAttempts: 5 },
);

export const send = API("POST /tasks", async (ctx, { count }: { count: Int }) => {
  await Promise.all(Array.from({ length: count }, (_, n) => tasks.send(ctx, { n })));
});

export const tally = API("GET /tally", async (ctx) => (await tallies.find(ctx, "tasks"))?.handled ?? 0);

export const who = API("GET /who", (ctx) => ctx.user().email, { signIn: true });
export const which = API("GET /version", () => version);

export const ticket = API("GET /tickets/{key}", (ctx, { key }: { key: Path }) =>
  photos.signedPut(ctx, key, "10m", { maxSize: 10_000_000, contentType: "image/png" }),
);

export const upload = API("POST /uploads", async (_ctx, { photo }: { photo: Form<Blob> }) => {
  let bytes = 0;
  for await (const chunk of photo.stream()) bytes += chunk.byteLength;
  return bytes;
});

let open = 0;
export const events = API("GET /events", () =>
  blob(
    new ReadableStream<Uint8Array>({
      start(controller) {
        open++;
        controller.enqueue(new TextEncoder().encode(`data: ${open}\n\n`));
      },
      cancel() {
        open--;
      },
    }),
    { type: "text/event-stream" },
  ),
);
export const listening = API("GET /listening", () => open);
