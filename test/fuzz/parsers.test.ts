import fc from "fast-check";
import { it } from "vitest";

import { properties } from "./properties.ts";

// fast-check says the seed and the shortest counterexample of what fails.
it.each(properties)("$name", ({ property }) => fc.assert(property, { numRuns: 300 }), 60_000);
