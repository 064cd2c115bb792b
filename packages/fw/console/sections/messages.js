import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { showCount } from "../parts/counts.js";
import { h, labelledTable, none, td, tr } from "../parts/elements.js";
import { dateTime, ms, number, pretty } from "../parts/format.js";

/** The section with the backlog of queues, topics and jobs, and the dead messages. */
export function messages() {
  const waiting = h("div", {});
  const pending = pendingMessages();
  const dead = h("div", {});

  async function load() {
    const { backlog, dead: letters } = await ask("messages");
    waiting.replaceChildren(
      backlog.length === 0
        ? none("No queue, topic or job has a consumer.")
        : labelledTable(
            "Backlog",
            [
              "Destination",
              ["Waiting", "number"],
              ["In flight", "number"],
              ["Retried", "number"],
              "Oldest",
              "Next due",
              "",
            ],
            backlog.map((each) =>
              tr(
                td(
                  "text",
                  h("span", { class: "mono" }, each.destination),
                  h("div", { class: "muted" }, each.consumer || "(none)"),
                ),
                td("number", number(each.messages - each.inFlight)),
                td("number", number(each.inFlight)),
                td(`number ${each.retried > 0 ? "warn" : ""}`, number(each.retried)),
                td("tight", each.oldest ? ageText(each.oldest) : ""),
                td("tight", each.messages > each.inFlight ? dateTime(each.due) : ""),
                each.messages > 0 && h("button", { onclick: act(() => pending.show(each)) }, "Show"),
              ),
            ),
          ),
    );
    showCount("messages", letters.length);
    const key = JSON.stringify(letters.map(({ id, position }) => [id, position]));
    if (dead.dataset.key === key) return;
    dead.dataset.key = key;
    dead.replaceChildren(
      letters.length === 0
        ? none("No dead messages.")
        : labelledTable(
            "Dead messages, newest first",
            ["Consumer", "Reason", "Message", ""],
            letters.map((letter) => deadRow(letter, load)),
          ),
    );
  }

  return {
    nodes: [h("h1", {}, "Messages"), waiting, pending.node, h("h2", {}, "Dead messages"), dead],
    load,
    every: 2000,
  };
}

/** The messages of one row of the backlog, opened by its button. */
function pendingMessages() {
  const node = h("section", { ariaLive: "polite" });

  async function show({ destination, consumer }) {
    const { messages: list } = await ask("messages/pending", { destination, consumer });
    const hasten = (id) =>
      act(async () => {
        await ask("messages/hasten", { destination, consumer, id });
        await show({ destination, consumer });
      }, "The message is due now.");
    const rows = list.map(({ id, sentAt, due, attempts, reason, body }) =>
      tr(
        td("tight", ageText(sentAt)),
        td("tight", dateTime(due)),
        td("number", number(attempts)),
        td("text", reason && h("div", { class: "bad" }, reason), h("pre", { tabIndex: 0 }, pretty(body))),
        h("button", { onclick: hasten(id) }, "Retry now"),
      ),
    );
    node.replaceChildren(
      h("h2", {}, `Messages of ${destination}`),
      rows.length === 0
        ? none("No messages.")
        : labelledTable(`Messages of ${destination}`, ["Age", "Due", ["Attempts", "number"], "Message", ""], rows),
    );
  }

  return { node, show };
}

/** The time since a date of the server. */
function ageText({ $date: at }) {
  const age = Math.max(0, Date.now() - at);
  const minutes = Math.floor(age / 60_000);
  if (minutes < 1) return ms(age);
  return minutes < 120 ? `${minutes} min` : `${number(Math.floor(minutes / 60))} h`;
}

function deadRow({ id, consumer, died, reason, attempts, body }, reload) {
  const again = (operation, sentence) =>
    act(async () => {
      if (operation === "messages/drop") confirmAction(`Drop message ${id}? It cannot be restored.`);
      const { done } = await ask(operation, { consumer, id });
      await reload();
      if (!done) throw new Error("The message no longer exists.");
    }, sentence);
  return tr(
    td("text", consumer, h("div", { class: "muted" }, "since ", h("span", { class: "whole" }, dateTime(died)))),
    td("text bad", `${reason} (${attempts} ${attempts === 1 ? "attempt" : "attempts"})`),
    td("text", h("pre", { tabIndex: 0 }, pretty(body))),
    td(
      "tight",
      h(
        "span",
        { class: "row" },
        h("button", { onclick: again("messages/replay", "Replayed.") }, "Replay"),
        h("button", { class: "danger", onclick: again("messages/drop", "Dropped.") }, "Drop"),
      ),
    ),
  );
}
