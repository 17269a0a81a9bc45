import { expect, it } from "vitest";
import { mergeSettings } from "./merge.ts";

/** More than there is today, so that lists and optional keys are seen. */
interface Some {
  sandboxTimeoutMs?: number | undefined;
  tunnelPorts?: number[];
  maxSessionCostUsd?: number;
}

const global: Some = { sandboxTimeoutMs: 3_600_000, tunnelPorts: [3000, 5173], maxSessionCostUsd: 5 };
const web: Some = { tunnelPorts: [8000] };
const environment: Some = { sandboxTimeoutMs: 7_200_000, tunnelPorts: [] };

it.each<[string, (Some | undefined)[], Some]>([
  ["no target", [global], global],
  ["a repository that sets a list", [global, web], { ...global, tunnelPorts: [8000] }],
  ["a repository that sets nothing", [global, undefined], global],
  [
    "an environment over its primary repository, whose empty list is a value",
    [global, web, environment],
    { sandboxTimeoutMs: 7_200_000, tunnelPorts: [], maxSessionCostUsd: 5 },
  ],
  ["an environment that leaves to its repository what it does not set", [web, {}], web],
  [
    "a session that sets one key",
    [global, web, { maxSessionCostUsd: 1.5 }],
    { sandboxTimeoutMs: 3_600_000, tunnelPorts: [8000], maxSessionCostUsd: 1.5 },
  ],
  ["a key that is there without a value", [global, { sandboxTimeoutMs: undefined }], global],
  ["no scope", [], {}],
])("merges the settings of %s", (_, layers, want) => {
  expect(mergeSettings(layers)).toEqual(want);
});
