import { type Connection, type MaxLength, type MinLength, Page, type Path, Site, Socket } from "fw";

export const site = Site("./web");

export interface Room {
  id: Path;
}
/** The page of a room; its script opens the socket. */
export const roomPage = Page("GET /rooms/{id}", (ctx, { id }: Room) => site.render(ctx, "room.html", { id }), {
  signIn: true,
});

export interface Said {
  text: string & MinLength<1> & MaxLength<500>;
}
export interface Heard {
  from: string;
  text: string;
  at: Date;
}

/** The members of each room in this process. */
const rooms = new Map<string, Set<Connection<Said, Heard>>>();

/** A chat about deliveries: every message goes to all members of the room. */
export const room = Socket(
  "GET /rooms/{id}/talk",
  async (ctx, { id }: Room, socket: Connection<Said, Heard>) => {
    const { name, email } = ctx.user();
    const leave = enter(id, socket);
    ctx.signal.addEventListener("abort", leave, { once: true });
    for await (const { text } of socket) tell(id, { from: name === "" ? email : name, text, at: ctx.now() });
  },
  { signIn: true },
);

/** Does not wait for slow readers: fw closes their connections eventually. */
function tell(id: string, heard: Heard): void {
  for (const member of rooms.get(id) ?? []) void member.send(heard);
}

function enter(id: string, socket: Connection<Said, Heard>): () => void {
  const members = rooms.get(id) ?? new Set();
  rooms.set(id, members.add(socket));
  return () => {
    members.delete(socket);
    if (members.size === 0) rooms.delete(id);
  };
}
