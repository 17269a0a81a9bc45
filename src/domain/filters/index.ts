export { compileFilters, type CompiledFilters } from "./compile.ts";
export { describeMismatch } from "./describe.ts";
