import { Entity, type ID, type Index } from "fw";

/** An event that another system has delivered to the hub. */
export interface Delivery {
  id: ID;
  at: Index<Date>;
  kind: string;
  text: string;
}

/** The sender's id identifies a delivery, so that a repeated delivery is stored only once. */
export const deliveries = Entity<Delivery>("deliveries");
