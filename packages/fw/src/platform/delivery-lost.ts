/** The abort reason of a delivery that may begin again elsewhere, because this process could not hold on to it. */
export class DeliveryLost extends Error {
  constructor() {
    super("another machine may have the message");
    this.name = "DeliveryLost";
  }
}
