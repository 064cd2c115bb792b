import { API, Entity, Errorf, type ID, type Index, type Path } from "fw";

export interface Task {
  id: ID;
  title: string;
  done: boolean;
  created: Index<Date>;
}
export const tasks = Entity<Task>("tasks");

/** Lists the 100 newest tasks. */
export const listTasks = API("GET /tasks", (ctx) => tasks.query().orderBy("created", "desc").limit(100).all(ctx));

export interface AddTask {
  title: string;
}
export const addTask = API(
  "POST /tasks",
  (ctx, { title }: AddTask): Promise<Task> => {
    if (title.trim() === "") throw Errorf(422, "a task needs a title");
    return tasks.create(ctx, { title, done: false, created: ctx.now() });
  },
  { status: 201 },
);

export interface TaskRef {
  id: Path;
}
export const finishTask = API("POST /tasks/{id}/done", (ctx, { id }: TaskRef) =>
  tasks.update(ctx, id, (task) => ({ ...task, done: true })),
);
