export { startDeliveryStore, type DeliveryStore } from "./delivery-store.ts";
