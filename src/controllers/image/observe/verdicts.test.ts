import { expect, it } from "vitest";
import { aSession } from "../../../../test/support/builders.ts";
import type { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { lookAtMs } from "../decide/due.ts";
import { observeVerdicts } from "./verdicts.ts";

const digest = "sha256:d";
const image = {
  metadata: { namespace: "shop", name: "web", uid: "i1" },
  status: { image: { build: 7, digest } },
} as PrebuiltImage;

const used: NonNullable<SessionStatus["prebuiltImage"]> = { name: "web", uid: "i1", reason: "Used", build: 7, digest };

it.each<[string, Partial<typeof used>, object]>([
  ["began with it", {}, {}],
  ["found it missing", { problem: "Missing" }, { damagedBuild: 7 }],
  ["found it damaged", { problem: "Damaged" }, { damagedBuild: 7 }],
  ["refused it", { problem: "Refused" }, { damagedBuild: 7 }],
  ["could not reach it", { problem: "Unreachable" }, {}],
  ["found an earlier one damaged", { build: 6, digest: "sha256:c", problem: "Damaged" }, {}],
  ["has other secrets", { reason: "SecretsChanged" }, { staleBuild: 7 }],
  ["had other secrets than an earlier one", { reason: "SecretsChanged", build: 6 }, {}],
])("what an image is after a session %s", (_, said, want) => {
  const session = aSession({ status: { prebuiltImage: { ...used, ...said } } });
  expect(observeVerdicts({ sessions: { byIndex: () => [session] } as never }, image)).toEqual(want);
});

const slot = "2026-05-04T10:30:00.000Z";
const at = (ms: number): string => new Date(Date.parse("2026-05-04T10:00:00.000Z") + ms).toISOString();

/** When the image is looked at, of which a session with this status says that its secrets have changed. */
function lookAfter(said: SessionStatus): number | undefined {
  const { metadata, status } = image;
  const sandbox = { attempt: 8, podName: "web-8", createTime: at(0), endTime: at(15_000), endReason: "Stopped" };
  const inputs = { fingerprint: "sha256:f", classImage: "sandbox:1" };
  const built = { ...status?.image, ...inputs, runtimeVersion: Infinity, commits: [{ repository: "web", commit: "" }] };
  const looked = { metadata, spec: {}, status: { image: built, sandbox, nextCheckTime: slot } } as PrebuiltImage;
  const session = aSession({ status: { prebuiltImage: { ...used, reason: "SecretsChanged" }, ...said } });
  const verdicts = observeVerdicts({ sessions: { byIndex: () => [session] } as never }, looked);
  const scope = { found: { ...inputs, repositories: ["web"], bounded: [] } };
  return lookAtMs({ image: looked, scope, pods: [], secrets: [], isSilent: false, ...verdicts });
}

it.each([
  { look: "at once", when: "a moment after", ms: 1, want: -Infinity },
  { look: "at its slot", when: "with", ms: 0, want: Date.parse(slot) },
  { look: "at its slot", when: "a moment before", ms: -1, want: Date.parse(slot) },
])("an image is looked at $look where a sandbox with other secrets began $when the last look", ({ ms, want }) => {
  expect(lookAfter({ sandbox: { attempt: 1, podName: "fix-1", createTime: at(ms) } })).toBe(want);
});

const saved = { attempt: 1, time: at(0), bytes: 7 };

it.each([
  { look: "at its slot", what: "began with a saved workspace", attempt: 2, snapshot: saved, want: Date.parse(slot) },
  { look: "at once", what: "was saved", attempt: 1, snapshot: saved, want: -Infinity },
  {
    ...{ look: "at once", what: "began after a workspace that is damaged", attempt: 2, want: -Infinity },
    snapshot: { ...saved, problem: "Damaged" as const },
  },
])("an image is looked at $look where a sandbox of a session with other secrets $what", (session) => {
  const { attempt, snapshot, want } = session;
  expect(lookAfter({ sandbox: { attempt, podName: `fix-${attempt}`, createTime: at(1) }, snapshot })).toBe(want);
});
