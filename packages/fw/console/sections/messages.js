import { act, confirmAction } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { showCount } from "../parts/counts.js";
import { h, keyed, labelledTable, none, renew, td, tr, undeclared } from "../parts/elements.js";
import { counted, dateTime, distance, number, pretty } from "../parts/format.js";
import { latestOnly } from "../parts/latest.js";
import { declared, failureLine } from "../parts/live.js";
import { causeOf, errorText } from "../parts/log-line.js";
import { stackContent } from "../parts/stack.js";

/** The number of a consumer's waiting messages to show at first and to add with each click, and the server's limit. */
const firstPending = 100;
const maxPending = 1_000;

/** Creates the section with the backlog of queues, topics and jobs, and the dead messages. */
export function messages() {
  const waiting = h("div", {});
  const pending = pendingMessages();
  const dead = h("div", {});

  const begin = latestOnly();

  async function load() {
    const isLatest = begin();
    const { backlog, dead: letters, deadCount } = await ask("messages");
    if (!isLatest()) return;
    renew(waiting, backlog.length === 0 ? noConsumer() : backlogTable(backlog, pending.show));
    await pending.reload(backlog);
    showCount("messages", deadCount);
    // The page may receive the log of a delivery later than the dead message.
    const shown = letters.map(withStack);
    const key = JSON.stringify([
      deadCount,
      shown.map(({ id, position, stack }) => [id, position, stack !== undefined]),
    ]);
    if (dead.dataset.key === key) return;
    dead.dataset.key = key;
    renew(dead, ...deadNodes(shown, deadCount, load));
  }

  return {
    nodes: [h("h1", {}, "Messages"), waiting, pending.node, h("h2", {}, "Dead messages"), dead],
    load,
    every: 2000,
  };
}

function noConsumer() {
  const destinations = ["queues", "topics", "jobs"].flatMap(declared);
  return destinations.length === 0
    ? undeclared("Queue", "Topic", "Job")
    : none("No queue, topic or job has a consumer.");
}

function backlogTable(backlog, show) {
  const heads = [
    "Destination",
    ["Waiting", "number"],
    ["In flight", "number"],
    ["Retried", "number"],
    "Oldest",
    "Next due",
    "",
  ];
  const row = (each) =>
    tr(
      td(
        "text",
        h("span", { class: "mono" }, each.destination),
        h("div", { class: "muted" }, each.consumer || "(none)"),
      ),
      td("number", number(each.messages - each.inFlight)),
      td("number", number(each.inFlight)),
      td(`number ${each.retried > 0 ? "warn" : ""}`, number(each.retried)),
      td("tight", each.oldest ? distance(each.oldest) : ""),
      td("tight", each.messages > each.inFlight ? dueText(each.due) : ""),
      each.messages > 0 && h("button", { onclick: act(() => show(each)) }, "Show"),
    );
  return labelledTable("Backlog", heads, backlog.map(row));
}

/** Creates the list of messages of one row of the backlog, which the row's button opens. */
function pendingMessages() {
  const node = h("section", { ariaLive: "polite" });
  let opened;
  const begin = latestOnly();

  async function show({ destination, consumer, messages: total }, limit = firstPending) {
    const isLatest = begin();
    opened = { destination, consumer, limit };
    const place = { destination, consumer };
    const { messages: list } = await ask("messages/pending", { ...place, limit });
    if (!isLatest()) return;
    const hasten = (id) =>
      act(async () => {
        await ask("messages/hasten", { ...place, id });
        await show({ ...place, messages: total }, limit);
      }, "The message is due now.");
    const more = () => show({ ...place, messages: total }, Math.min(maxPending, limit + firstPending));
    const caption = `Messages of ${destination}`;
    renew(
      node,
      h("h2", {}, caption),
      ...(list.length === 0
        ? [none("No messages.")]
        : [
            h("p", { class: "muted" }, shownText(list.length, total), ", the next due first"),
            labelledTable(
              caption,
              ["Sent", "Due", ["Attempts", "number"], "Message", ""],
              list.map((message) => pendingRow(message, hasten)),
            ),
          ]),
      ...(list.length === limit && total > limit && limit < maxPending
        ? [h("p", {}, h("button", { onclick: act(more) }, "Show more"))]
        : []),
    );
  }

  /** Shows the current messages of the open row. */
  async function reload(backlog) {
    if (opened === undefined) return;
    const { destination, consumer, limit } = opened;
    const row = backlog.find((each) => each.destination === destination && each.consumer === consumer);
    await show({ destination, consumer, messages: row?.messages ?? 0 }, limit);
  }

  return { node, show, reload };
}

function pendingRow({ id, sentAt, due, attempts, reason, body }, hasten) {
  return keyed(
    id,
    tr(
      td("tight", distance(sentAt)),
      td("tight", dueText(due)),
      td("number", number(attempts)),
      td("text", reason && h("div", { class: "bad" }, reason), h("pre", { tabIndex: 0 }, pretty(body))),
      h("button", { onclick: hasten(id) }, attempts === 0 ? "Deliver now" : "Retry now"),
    ),
  );
}

/** Formats the distance of a due time from now, with the date and time as a tooltip. */
function dueText(due) {
  return h("span", { title: dateTime(due) }, distance(due));
}

function shownText(shown, total) {
  return shown < total ? `${number(shown)} of ${number(total)} messages` : counted(shown, "message");
}

function deadNodes(letters, deadCount, reload) {
  if (letters.length === 0) return [none("No dead messages.")];
  const rows = letters.map((letter) => deadRow(letter, reload));
  const list = labelledTable("Dead messages, newest first", ["Consumer", "Reason", "Message", ""], rows);
  if (letters.length >= deadCount) return [list];
  const all = h("code", {}, "npx --no fw dead list");
  return [h("p", { class: "muted" }, `The newest ${shownText(letters.length, deadCount)}. To see all: `, all), list];
}

function deadRow({ id, consumer, died, reason, attempts, body, waits, stack }, reload) {
  const again = (operation, sentence) =>
    act(async () => {
      if (operation === "messages/drop") confirmAction(`Drop message ${id}? It cannot be restored.`);
      const { done } = await ask(operation, { consumer, id });
      await reload();
      if (!done) throw new Error("The message no longer exists.");
    }, sentence);
  return keyed(
    `${consumer} ${id}`,
    tr(
      td("text", consumer, h("div", { class: "muted" }, "since ", h("span", { class: "whole" }, dateTime(died)))),
      td(
        "text",
        h("span", { class: "bad" }, `${reason} (${counted(attempts, "attempt")})`),
        waits && h("div", { class: "muted" }, "Waits for a version that accepts it."),
        stack && h("details", {}, h("summary", {}, "Stack"), stackContent(stack)),
      ),
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
    ),
  );
}

/** Adds the stack of a dead message's error from its consumer's log; undefined if the log no longer contains it. */
function withStack(letter) {
  const { consumer, reason } = letter;
  const isCause = (line) => reason !== "" && line.service === consumer && errorText(line).startsWith(reason);
  const cause = failureLine(isCause);
  return { ...letter, stack: cause && causeOf(cause) };
}
