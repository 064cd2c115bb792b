import { API } from "fw";

export const hello = API("GET /hello", () => ({ hello: "world" }));
