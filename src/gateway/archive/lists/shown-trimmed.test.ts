import { expect, it } from "vitest";
import { shownTrimmed } from "./shown-trimmed.ts";

const row = { namespace: "shop", newest_ms: Date.parse("2026-03-20T10:00:00Z"), budget_bytes: 8 * 1_024 ** 3 };
const begins = "History of namespace shop is whole only after 2026-03-20T10:00:00.000Z: ";
const ends =
  "had more than the 8 GiB of the archive's budget, so that its oldest rows were deleted; ask the platform team for more";

it.each([
  ["namespace", 5, "it", 5],
  ["total", null, "all namespaces together", 0],
] as const)("what the budget %s took away, of a namespace with %s bytes", (budget, had, who, bytes) => {
  expect(shownTrimmed({ ...row, budget, bytes: had })).toEqual({
    namespace: "shop",
    since: row.newest_ms,
    budget,
    budgetBytes: row.budget_bytes,
    bytes,
    message: `${begins}${who} ${ends} (archive.budgets.${budget})`,
  });
});
