export { compileFilters, type CompiledFilters, type Finding } from "./compile.ts";
export { describeDemand, describeFound, describeMismatch } from "./describe.ts";
