export { type Cron, parseCron } from "./cron.ts";
export { CronError, type CronField, cronFields } from "./field.ts";
export { shortestGap } from "./shortest-gap.ts";
