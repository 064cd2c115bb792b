// The console's page. Data of the application is always inserted as text, never as markup.

import { say } from "./parts/act.js";
import { offeredSections } from "./parts/ask.js";
import { forgetCharts } from "./parts/time-chart.js";
import { showCount } from "./parts/counts.js";
import { h } from "./parts/elements.js";
import { hasChanges, mayLeave } from "./parts/unsaved.js";
import { errorCounts, model, nextEvents, nextModel } from "./parts/live.js";
import { application } from "./sections/application.js";
import { data } from "./sections/data.js";
import { logs } from "./sections/logs.js";
import { mails } from "./sections/mails.js";
import { messages } from "./sections/messages.js";
import { metrics } from "./sections/metrics.js";
import { objects } from "./sections/objects.js";
import { users } from "./sections/users.js";
import { requests } from "./sections/requests.js";
import { routes } from "./sections/routes.js";
import { schedules } from "./sections/schedules.js";
import { server } from "./sections/server.js";
import { steps } from "./sections/steps.js";

/**
 * The title of each section and the function that builds it. The function receives the parameters in the address, such
 * as `#application?trace=4f2a`. It returns `nodes`, optionally `added`, which receives new events, and optionally
 * `load`, which runs once or every `every` milliseconds.
 */
const sections = {
  requests: ["Requests", requests],
  steps: ["Queries and calls", steps],
  logs: ["Logs", logs],
  routes: ["Routes", routes],
  data: ["Data", data],
  objects: ["Objects", objects],
  messages: ["Messages", messages],
  mails: ["Mails", mails],
  schedules: ["Crons and jobs", schedules],
  users: ["Users", users],
  metrics: ["Metrics", metrics],
  application: ["Application", application],
  server: ["Server", server],
};

/** The sections in development: all except the one about a production server, with its disk, backups and operators. */
const developed = Object.keys(sections).filter((id) => id !== "server");
const ids = offeredSections.length === 0 ? developed : offeredSections;
const main = document.getElementById("main");
let current;
let connected = true;

function show() {
  const [name, query] = location.hash.slice(1).split("?");
  const id = ids.includes(name) ? name : ids[0];
  const [title, make] = sections[id];
  clearInterval(current?.timer);
  forgetCharts();
  current = make(new URLSearchParams(query));
  main.replaceChildren(...current.nodes);
  main.scrollTop = 0;
  document.title = `${title} · ${model?.graph.app ?? "Console"}`;
  for (const link of document.querySelectorAll("#sections a")) {
    if (link.getAttribute("href") === `#${id}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (current.load) {
    const load = () => current.load().catch((error) => say(error.message));
    void load();
    if (current.every) current.timer = setInterval(() => document.hidden || load(), current.every);
  }
}

async function showEvents() {
  try {
    const fresh = await nextEvents();
    if (!connected) say("Connected again.");
    connected = true;
    if (fresh.some(({ severity }) => severity === "ERROR")) showCount("logs", errorCounts.total);
    current?.added?.(fresh);
  } catch (error) {
    if (connected) say(error instanceof TypeError ? "The server is not responding." : error.message);
    connected = false;
  }
}

async function showModel() {
  const first = model === undefined;
  if (!(await nextModel())) return;
  document.getElementById("app").textContent = model.graph.app;
  // Do not rebuild the section while the user types in it, or has unsaved changes there.
  if (hasChanges()) return;
  if (first || !main.contains(document.activeElement) || document.activeElement === main) show();
}

/** Runs `work` repeatedly, one call at a time, while the page is visible. */
async function repeat(work, pause) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!document.hidden) await work();
  }
}

const links = ids.map((id) => h("li", {}, h("a", { href: `#${id}` }, sections[id][0], h("span", { class: "count" }))));
document.getElementById("sections").append(...links);
// The dashboard has its own port, so its "/" is not the application.
document.querySelector(".back").hidden = offeredSections.length > 0;
document.querySelector(".skip").addEventListener("click", (event) => (event.preventDefault(), main.focus()));
addEventListener("hashchange", ({ oldURL }) => {
  if (!mayLeave()) return history.pushState(null, "", oldURL);
  show();
  main.focus();
});
await Promise.all([showModel(), showEvents()]);
if (!current) show();
void repeat(showEvents, 700);
void repeat(showModel, 3000);
