const line = document.getElementById("lookers");

/** Shows who has the ticket open. The browser reconnects automatically. */
new EventSource(`${location.pathname}/lookers`).addEventListener("message", ({ data }) => {
  const names = JSON.parse(data);
  line.textContent = names.length > 1 ? `${names.join(" and ")} look at this ticket.` : "";
});
