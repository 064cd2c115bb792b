import { Alert, Channel, percentile, rate, ratio } from "fw";
import { mailsLost } from "./mails.ts";
import { showTicket, write } from "./pages.ts";

export const oncall = Channel("oncall", { email: "oncall@example.com" });

export const lostMails = Alert("lost-mails", { if: rate(mailsLost).above(0), every: "5m", notify: [oncall] });
export const failing = Alert("failing", {
  if: ratio(write, "5xx").above(0.02),
  every: "5m",
  for: "5m",
  notify: [oncall],
});
export const slow = Alert("slow", { if: percentile(showTicket, 0.95).above(500), every: "10m", notify: [oncall] });
