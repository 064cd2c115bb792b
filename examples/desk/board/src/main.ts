import { ApiError, createClient } from "../../.fw/gen/client/ts/api.ts";

const client = createClient();
const desk = location.hash.slice(1);
const element = (id: string): HTMLElement => document.getElementById(id) ?? document.body;

async function showCounts(): Promise<void> {
  const counts = await client.countTickets(desk);
  element("counts").textContent = counts.map(({ value, count }) => `${count} ${value}`).join(", ");
}

/** Follows the desk. The client reconnects automatically and misses nothing. */
async function follow(): Promise<void> {
  element("desk").textContent = desk;
  await showCounts();
  element("state").textContent = "Live";
  for await (const { data } of client.watchDesk(desk)) {
    const line = document.createElement("li");
    line.textContent = `${new Date(data.at).toLocaleTimeString()} ${data.by}: ${data.subject} (${data.what})`;
    element("changes").prepend(line);
    await showCounts();
  }
}

follow().catch((error: unknown) => {
  const refused = error instanceof ApiError && error.status === 401;
  element("state").textContent = refused ? "Sign in first." : String(error);
});
