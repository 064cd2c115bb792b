import { ApiError, type Change, createClient } from "../../.fw/gen/client/ts/api.ts";

const client = createClient();
const desk = location.hash.slice(1);

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no #${id}`);
  return found;
}

async function showCounts(): Promise<void> {
  const { open, waiting, closed } = await client.countTickets(desk);
  element("counts").textContent = `${open} open, ${waiting} waiting, ${closed} closed`;
}

function show({ subject, what, by, at }: Change): void {
  const line = document.createElement("li");
  line.textContent = `${new Date(at).toLocaleTimeString()} ${by}: ${subject} (${what})`;
  element("changes").prepend(line);
}

/** Follows the desk. The client connects again by itself and misses nothing. */
async function follow(): Promise<void> {
  element("desk").textContent = desk;
  await showCounts();
  element("state").textContent = "Live";
  for await (const { data } of client.watchDesk(desk)) {
    show(data);
    await showCounts();
  }
}

follow().catch((error: unknown) => {
  const refused = error instanceof ApiError && error.status === 401;
  element("state").textContent = refused ? "Sign in first." : String(error);
});
