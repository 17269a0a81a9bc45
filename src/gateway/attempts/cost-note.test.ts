import { expect, it } from "vitest";

import { costNotes } from "./cost-note.ts";

const name = "runwright.dev/cost-usd";
const note = (costUsd: string): object => ({ [name]: costUsd });

it.each([
  { said: undefined, costUsd: undefined, want: {} },
  { said: "1", costUsd: undefined, want: {} },
  { said: undefined, costUsd: "0", want: note("0") },
  { said: "0.25", costUsd: "0.250001", want: note("0.250001") },
  { said: "0.25", costUsd: "0.25", want: {} },
  { said: "0.25", costUsd: "0.249999", want: {} },
  { said: "9", costUsd: "10", want: note("10") },
  { said: "a lot", costUsd: "0.25", want: note("0.25") },
  { said: "-1", costUsd: "0.25", want: note("0.25") },
])("where a Lease says $said, $costUsd adds $want", ({ said, costUsd, want }) => {
  const annotations = said === undefined ? {} : { [name]: said };
  expect(costNotes({ metadata: { name: "l", annotations } }, costUsd)).toEqual(want);
});
