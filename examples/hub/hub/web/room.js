const [state, heard, say] = ["state", "heard", "say"].map((id) => document.getElementById(id));
/** Close codes after which to reconnect: the service is stopping, or the connection was lost. */
const passing = new Set([1001, 1006]);
let socket;

function connect() {
  const url = new URL(`${location.pathname}/talk`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  socket = new WebSocket(url);
  socket.addEventListener("open", () => (state.textContent = "Connected"));
  socket.addEventListener("message", ({ data }) => show(JSON.parse(data)));
  socket.addEventListener("close", ({ code, reason }) => {
    state.textContent = reason || "Not connected";
    if (passing.has(code)) setTimeout(connect, 1_000);
  });
}

function show({ from, text, at }) {
  const line = document.createElement("li");
  line.textContent = `${from}: ${text}`;
  line.title = new Date(at).toLocaleString();
  heard.append(line);
}

say.addEventListener("submit", (event) => {
  event.preventDefault();
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({ text: say.elements.text.value }));
  say.reset();
});

connect();
