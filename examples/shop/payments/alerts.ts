import { Alert, Channel, percentile, ratio } from "fw";
import { charge, declined, demanded } from "./charges.ts";

export const oncall = Channel("oncall", { email: "oncall@shop.example.com" });

/** If more than a third of card payments are declined, either the card issuers or our requests have a problem. */
export const cardsDeclined = Alert("cards-declined", {
  if: ratio(declined, demanded).above(1 / 3),
  every: "15m",
  for: "5m",
  notify: [oncall],
});

export const slowCharges = Alert("slow-charges", {
  if: percentile(charge, 0.95).above(2_000),
  every: "15m",
  notify: [oncall],
});
