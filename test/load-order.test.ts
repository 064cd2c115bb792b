import { expect, test } from "vitest";
import { launchDev, startDev, writeApplication } from "./support/dev-app.ts";

/** Two packages that import each other: one needs the other's topic while it is loaded, the other a queue when it is asked. */
const shop = (mail: string): Record<string, string> => ({
  "orders/orders.ts": `import { API, Topic } from "fw";
import { emails } from "../${mail}/mail.ts";
export const placed = Topic<string>("placed");
export const place = API("GET /place", async (ctx): Promise<string> => { await emails.send(ctx, "1"); return "${mail}"; });`,
  [`${mail}/mail.ts`]: `import { Queue, Subscribe } from "fw";
import { placed } from "../orders/orders.ts";
export const emails = Queue<string>("emails");
export const onPlaced = Subscribe(placed, async (ctx, id) => emails.send(ctx, id));`,
});

test.each(["mail", "zmail"])(
  "packages that import each other start in whatever order their names are: %s",
  async (mail) => {
    await using dev = await startDev(shop(mail));
    expect(await dev.get("/place")).toMatchObject({ status: 200, body: `"${mail}"` });
  },
);

test("packages that need each other while they are loaded are told the way around, and a save mends it", async () => {
  const files = shop("mail");
  const worker = `import { Worker } from "fw";\nexport const send = Worker(emails, async () => {});\n`;
  const both = { ...files, "orders/orders.ts": files["orders/orders.ts"] + "\n" + worker };
  await using dev = launchDev(writeApplication(both), []);
  await dev.says("orders/orders.ts → mail/mail.ts → orders/orders.ts");
  expect(dev.output()).toContain("move what they need of each other into a module that both import");
  dev.write({
    "mail/send.ts": `import { emails } from "./mail.ts";\n${worker}`,
    "orders/orders.ts": files["orders/orders.ts"] ?? "",
  });
  expect(await dev.eventually("/place", ({ status }) => status === 200)).toMatchObject({ body: '"mail"' });
});
