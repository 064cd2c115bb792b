import { act, sure } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { showCount } from "../parts/counts.js";
import { h, none, table, td, tr } from "../parts/elements.js";
import { dateTime, number, pretty } from "../parts/format.js";

/** What queues, topics and jobs hold, and what was given up. */
export function messages() {
  const waiting = h("div", {});
  const dead = h("div", {});

  async function load() {
    const { backlog, dead: letters } = await ask("messages");
    waiting.replaceChildren(
      backlog.length === 0
        ? none("The application has no queue, topic or job that anybody takes.")
        : table(
            "What waits",
            ["From", "Taken by", ["Waiting", "number"], ["In flight", "number"], ["Tried before", "number"], "Next"],
            backlog.map((each) =>
              tr(
                td("tight mono", each.destination),
                td("tight", each.consumer || "nobody"),
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
        ? none("No message was given up.")
        : table(
            "Dead messages, the newest first",
            ["Died", "Whose", "Why", "Message", ""],
            letters.map((letter) => deadRow(letter, load)),
          ),
    );
  }

  return { nodes: [h("h1", {}, "Messages"), waiting, h("h2", {}, "Dead messages"), dead], load, every: 2000 };
}

function deadRow({ id, consumer, died, reason, attempts, body }, reload) {
  const again = (operation, sentence) =>
    act(async () => {
      if (operation === "messages/drop") sure(`Forget the message ${id}?`);
      const { done } = await ask(operation, { consumer, id });
      await reload();
      if (!done) throw new Error("It is gone already.");
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
        h("button", { onclick: again("messages/replay", "Sent again.") }, "Replay"),
        h("button", { class: "danger", onclick: again("messages/drop", "Forgotten.") }, "Drop"),
      ),
    ),
  );
}
