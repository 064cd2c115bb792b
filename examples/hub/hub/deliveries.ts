import { Entity, type ID, type Index } from "fw";

/** Something that another system has told the hub. */
export interface Delivery {
  id: ID;
  at: Index<Date>;
  kind: string;
  text: string;
}

/** By the id that their sender gave them, so that one which is sent again is not there twice. */
export const deliveries = Entity<Delivery>("deliveries");
