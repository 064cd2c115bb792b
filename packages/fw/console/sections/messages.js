import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { showCount } from "../parts/counts.js";
import { h, none, table, td, tr } from "../parts/elements.js";
import { dateTime, number, pretty } from "../parts/format.js";

/** The section with the backlog of queues, topics and jobs, and the dead messages. */
export function messages() {
  const waiting = h("div", {});
  const dead = h("div", {});

  async function load() {
    const { backlog, dead: letters } = await ask("messages");
    waiting.replaceChildren(
      backlog.length === 0
        ? none("No queue, topic or job has a consumer.")
        : table(
            "Backlog",
            [
              "Destination",
              "Consumer",
              ["Waiting", "number"],
              ["In flight", "number"],
              ["Retried", "number"],
              "Next due",
            ],
            backlog.map((each) =>
              tr(
                td("tight mono", each.destination),
                td("tight", each.consumer || "(none)"),
                td("number", number(each.messages - each.inFlight)),
                td("number", number(each.inFlight)),
                td(`number ${each.retried > 0 ? "warn" : ""}`, number(each.retried)),
                td("tight", each.messages > each.inFlight ? dateTime(each.due) : ""),
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
        : table(
            "Dead messages, newest first",
            ["Dead since", "Consumer", "Reason", "Message", ""],
            letters.map((letter) => deadRow(letter, load)),
          ),
    );
  }

  return { nodes: [h("h1", {}, "Messages"), waiting, h("h2", {}, "Dead messages"), dead], load, every: 2000 };
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
    td("tight", dateTime(died)),
    td("tight", consumer),
    td("text bad", `${reason} (${attempts} attempts)`),
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
