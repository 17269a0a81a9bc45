export { compileFilters, type Matcher } from "./compile.ts";
