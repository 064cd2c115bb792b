/** Code that runs an operation when the test triggers it. */
export interface Caller {
  readonly name: string;
  /** Modules by package: `c` has the caller, `s` its trigger, `d` declarations. `RUN` is the call of the operation. */
  readonly modules: { readonly c: string; readonly s?: string; readonly d?: string };
  readonly trigger: Trigger;
  readonly isRequest?: true;
  readonly onlyReads?: true;
  readonly isPrivate?: true;
  /** True if it runs without a trigger when the service starts. */
  readonly atStart?: true;
}

export type Trigger = "post" | "get" | "page" | "mount" | "socket" | "key" | "start" | "cron" | "background";

const recording = `record(ctx, "#", arg, RUN)`;
const sender = (text: string, send: string): string => `${text}
export const go# = API("POST /go#", async (ctx, { arg }: { arg: string }): Promise<string> => { ${send}; return "gone"; });`;

export const callers: readonly Caller[] = [
  {
    name: "API",
    trigger: "post",
    isRequest: true,
    modules: {
      c: `export const go# = API("POST /go#", async (ctx, { arg }: { arg: string }): Promise<string> => ${recording});`,
    },
  },
  {
    name: "GET",
    trigger: "get",
    isRequest: true,
    modules: {
      c: `export const go# = API("GET /go#", async (ctx, { arg }: { arg: Query }): Promise<string> => ${recording});`,
    },
  },
  {
    name: "page",
    trigger: "page",
    isRequest: true,
    modules: {
      c: `export const go# = Page("GET /go#", async (ctx, { arg }: { arg: Query }) => blob(await ${recording}, { type: "text/plain" }));`,
    },
  },
  {
    name: "live page",
    trigger: "page",
    isRequest: true,
    onlyReads: true,
    modules: {
      c: `export const site# = Site("./public");\nexport const go# = Page("GET /go#", async (ctx, { arg }: { arg: Query }) => site#.render(ctx, "live#.html", { text: JSON.stringify(await RUN) }), { live: true });`,
    },
  },
  {
    name: "mount",
    trigger: "mount",
    isRequest: true,
    modules: {
      c: `export const go# = Mount("/go#", async (ctx, request) => { const arg = await request.text(); return new Response(await ${recording}); });`,
    },
  },
  {
    name: "socket",
    trigger: "socket",
    isRequest: true,
    modules: {
      c: `export const go# = Socket("GET /go#", async (ctx, _req: {}, socket: Connection<string, string>) => { for await (const arg of socket) await socket.send(await ${recording}); });`,
    },
  },
  {
    name: "authenticator",
    trigger: "key",
    isRequest: true,
    modules: {
      c: `export const keys# = Authenticator(async (ctx, { arg }: { arg: Header<string, "X-Key-#"> }) => ({ id: await ${recording} }));`,
      s: `export const go# = API("GET /go#", (ctx): string => ctx.user().id, { signIn: true });`,
    },
  },
  {
    name: "policy",
    trigger: "key",
    isRequest: true,
    modules: {
      c: `export const Allows# = Policy(async (ctx, { id: arg }) => { await ${recording}; });`,
      d: `export const keys# = Authenticator((_ctx, { arg }: { arg: Header<string, "X-Key-#"> }) => ({ id: arg }));`,
      s: `import { Allows# } from "C";\nexport const go# = API("GET /go#", (ctx): string => ctx.user().id, { allow: Allows# });`,
    },
  },
  {
    name: "worker",
    trigger: "background",
    modules: {
      d: `export const sent# = Queue<string>("sent#");`,
      c: `import { sent# } from "D";\nexport const work# = Worker(sent#, async (ctx, arg) => void (await ${recording}));`,
      s: sender(`import { sent# } from "D";`, "await sent#.send(ctx, arg)"),
    },
  },
  {
    name: "worker by transaction",
    trigger: "background",
    modules: {
      d: `export const sent# = Queue<string>("sent#");`,
      c: `import { sent# } from "D";\nexport const work# = Worker(sent#, async (ctx, arg) => void (await ${recording}));`,
      s: sender(`import { sent# } from "D";`, "await transaction(ctx, async (tx) => { await sent#.send(tx, arg); })"),
    },
  },
  {
    name: "worker by key",
    trigger: "background",
    modules: {
      d: `export const sent# = Queue<string>("sent#");`,
      c: `import { sent# } from "D";\nexport const work# = Worker(sent#, async (ctx, arg) => void (await ${recording}));`,
      s: sender(
        `import { sent# } from "D";`,
        `await sent#.send(ctx, "old", { key: "k", delay: "1h" }); await sent#.send(ctx, arg, { key: "k" })`,
      ),
    },
  },
  {
    name: "subscriber",
    trigger: "background",
    modules: {
      d: `export const said# = Topic<string>("said#");`,
      c: `import { said# } from "D";\nexport const hear# = Subscribe(said#, async (ctx, arg) => void (await ${recording}));`,
      s: sender(`import { said# } from "D";`, "await said#.publish(ctx, arg)"),
    },
  },
  {
    name: "subscriber by transaction",
    trigger: "background",
    modules: {
      d: `export const said# = Topic<string>("said#");`,
      c: `import { said# } from "D";\nexport const hear# = Subscribe(said#, async (ctx, arg) => void (await ${recording}));`,
      s: sender(
        `import { said# } from "D";`,
        "await transaction(ctx, async (tx) => { await said#.publish(tx, arg); })",
      ),
    },
  },
  {
    name: "uploaded",
    trigger: "background",
    modules: {
      d: `export const files# = Bucket("files#");`,
      c: `import { files# } from "D";\nexport const see# = Subscribe(files#.uploaded, async (ctx, { key: arg }) => void (await ${recording}));`,
      s: sender(`import { files# } from "D";`, `await files#.put(ctx, arg, blob("x", { type: "text/plain" }))`),
    },
  },
  {
    name: "dead letter",
    trigger: "background",
    modules: {
      d: `export const fails# = Queue<string>("fails#");\nexport const fail# = Worker(fails#, () => { throw new Error("fails on purpose"); }, { maxAttempts: 5, minBackoff: "100ms", maxBackoff: "100ms" });`,
      c: `import { fails# } from "D";\nexport const bury# = Subscribe(fails#.dead, async (ctx, { message: arg }) => void (await ${recording}));`,
      s: sender(`import { fails# } from "D";`, "await fails#.send(ctx, arg)"),
    },
  },
  {
    name: "registered",
    trigger: "background",
    modules: {
      d: `export const people# = Auth({ password: true });`,
      c: `import { people# } from "D";\nexport const greet# = Subscribe(people#.registered, async (ctx, { email }) => { const arg = email.slice(0, -15 - "#".length); if (email === arg + "-#@greet.example") await ${recording}; });`,
      s: sender(`import { people# } from "D";`, "await people#.users.create(ctx, { email: `${arg}-#@greet.example` })"),
    },
  },
  {
    name: "runner",
    trigger: "background",
    modules: {
      d: `export const task# = Job<{ arg: string }>("task#");`,
      c: `import { task# } from "D";\nexport const run# = Runner(task#, async (ctx, { arg }) => void (await ${recording}));`,
      s: sender(`import { task# } from "D";`, "await task#.start(ctx, { arg })"),
    },
  },
  {
    name: "recorded runner",
    trigger: "background",
    modules: {
      d: `export const task# = Job<{ arg: string }>("task#", { history: "1d" });`,
      c: `import { task# } from "D";\nexport const run# = Runner(task#, async (ctx, { arg }, run) => { run.progress(0.5, arg); await ${recording}; });`,
      s: sender(`import { task# } from "D";`, "await task#.start(ctx, { arg })"),
    },
  },
  {
    name: "callee",
    trigger: "post",
    isRequest: true,
    isPrivate: true,
    modules: {
      c: `export const inner# = API("POST /inner#", async (ctx, { arg }: { arg: string }): Promise<string> => ${recording}, { private: true });`,
      s: `import { inner# } from "C";\nexport const go# = API("POST /go#", (ctx, { arg }: { arg: string }): Promise<string> => inner#.call(ctx, { arg }));`,
    },
  },
  {
    name: "singleton",
    trigger: "start",
    atStart: true,
    modules: {
      c: `export const one# = Singleton("one#", async (ctx) => { const arg = "a"; const value = await RUN; await record(ctx, "#", arg, Promise.resolve(value)); await new Promise((done) => ctx.signal.addEventListener("abort", done, { once: true })); });`,
    },
  },
  {
    name: "cron",
    trigger: "cron",
    modules: {
      c: `export const tick# = Cron("tick#", "0 4 1 1 *", async (ctx) => { const arg = "a"; await ${recording}; });`,
    },
  },
];
