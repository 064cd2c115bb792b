import { API } from "fw";

export const weigh = API("GET /weight", (): { grams: number } => ({ grams: 7 }), { private: true });
