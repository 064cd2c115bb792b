const line = document.getElementById("lookers");

/** Shows who looks at the ticket. The browser connects again by itself. */
new EventSource(`${location.pathname}/lookers`).addEventListener("message", ({ data }) => {
  const names = JSON.parse(data);
  line.textContent = names.length > 1 ? `${names.join(" and ")} look at this ticket.` : "";
});
