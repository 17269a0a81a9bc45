export { isFinished } from "./is-finished.ts";
