import { ask } from "../parts/ask.js";
import { h, labelledTable, none, stacked, table, td, tr } from "../parts/elements.js";
import { bytes, dateTime, number, pretty } from "../parts/format.js";

/** Creates the section with the server's versions, disk, backups and services, and the changes that operators made. */
export function server() {
  const facts = h("div", {});
  const services = h("div", {});
  const changes = h("div", {});
  return {
    nodes: [
      h("h1", {}, "Server"),
      facts,
      h("h2", {}, "Services"),
      services,
      h("h2", {}, "Changes by operators"),
      changes,
    ],
    load: async () => {
      const state = await ask("server");
      facts.replaceChildren(factsTable(state));
      services.replaceChildren(servicesTable(state.services));
      changes.replaceChildren(changesTable(state.changes));
    },
    every: 5_000,
  };
}

function factsTable({ versions, machine, started, disk, data, backup }) {
  const share = disk.free / disk.total;
  const rows = [
    ["Machine", machine],
    ["Serves since", dateTime(started)],
    ["Build of", dateTime(versions.build)],
    ["fw", versions.fw],
    ["Node", versions.node],
    ["Data", data === "database" ? "in a database, shared by all machines" : disk.directory],
    ["Free disk space", h("span", { class: share < 0.1 ? "warn" : "" }, diskText(disk, share))],
    ["Last backup", backupText(data, backup)],
  ];
  const cells = rows.map(([name, value]) => tr(td("tight muted", name), td("text", value)));
  return stacked(table("Server", ["Property", "Value"], cells));
}

function diskText({ free, total }, share) {
  return `${bytes(free)} of ${bytes(total)} (${Math.round(100 * share)} %)`;
}

function backupText(data, backup) {
  if (data === "database") return "made with the tools of the database, such as pg_dump";
  return backup === null ? "none since the server started" : dateTime(backup);
}

function servicesTable(services) {
  const row = ({ name, processes, listening, inProgress }) =>
    tr(
      name,
      td("number", number(processes)),
      td(`number ${listening < processes ? "bad" : ""}`, number(listening)),
      td("number", number(inProgress)),
    );
  const heads = ["Service", ["Processes", "number"], ["Listening", "number"], ["In progress", "number"]];
  return labelledTable("Services", heads, services.map(row));
}

function changesTable(changes) {
  if (changes.length === 0) return none("No operator has changed anything.");
  const row = ({ at, operator, operation, input }) =>
    tr(td("tight", dateTime(at)), operator, td("tight mono", operation), td("mono", pretty(input)));
  return labelledTable("Changes by operators, newest first", ["Time", "Operator", "Change", "Input"], changes.map(row));
}
