import { match } from "fw:routes";
import { endpoints as i0 } from "fw:endpoints/orders.ts";
import { endpoints as i1 } from "fw:endpoints/payments.ts";
export default {
  app: "shop",
  match,
  methods: ["GET","POST"],
  endpoints: [
    ...i0(0),
    ...i1(0),
  ],
  packages: [
    { name: "shop", service: "shop" },
  ],
};
