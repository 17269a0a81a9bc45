export { permissions } from "./permissions.ts";
export { startIngress, type Ingress } from "./start-ingress.ts";
