import { Entity, type ID, type Index } from "fw";

/** An event that another system has sent to the hub. */
export interface Delivery {
  id: ID;
  at: Index<Date>;
  kind: string;
  text: string;
}

/** Identified by the sender's id, so that a repeated delivery is stored once. */
export const deliveries = Entity<Delivery>("deliveries");
