const line = document.getElementById("lookers");

/** Shows who looks at the ticket. A stopping service and a lost network are reasons to connect again. */
function connect() {
  const url = new URL(`${location.pathname}/lookers`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  socket.addEventListener("message", ({ data }) => {
    const names = JSON.parse(data);
    line.textContent = names.length > 1 ? `${names.join(" and ")} look at this ticket.` : "";
  });
  socket.addEventListener("close", ({ code }) => {
    if (code === 1001 || code === 1006) setTimeout(connect, 1_000);
  });
}
connect();
