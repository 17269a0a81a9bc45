export { permissions } from "./permissions.ts";
export type { AnswerFacts } from "./ports.ts";
export { startIngress, type Ingress } from "./start-ingress.ts";
