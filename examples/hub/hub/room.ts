import { API, type Connection, Feed, type MaxLength, type MinLength, Page, type Path, Site, Socket } from "fw";

export const site = Site("./web");

export interface Room {
  id: Path;
}
/** The page of a room, whose script opens the socket. */
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

/** The conversation in each room, shared by clients of all processes. */
const talk = Feed<Heard>("talk");

/** A chat about deliveries: every message goes to all members of the room. */
export const room = Socket(
  "GET /rooms/{id}/talk",
  async (ctx, { id }: Room, socket: Connection<Said, Heard>) => {
    const { name, email } = ctx.user();
    const from = name === "" ? email : name;
    const listening = listen(talk.join(ctx, id, from), socket);
    for await (const { text } of socket) await talk.publish(ctx, id, { from, text, at: ctx.now() });
    await listening;
  },
  { signIn: true },
);

/** Returns the names of the members of a room. */
export const members = API("GET /rooms/{id}/members", (ctx, { id }: Room) => talk.presence(ctx, id), { signIn: true });

async function listen(heard: AsyncIterable<{ data: Heard }>, socket: Connection<Said, Heard>): Promise<void> {
  for await (const { data } of heard) await socket.send(data);
}
