import { expect, it } from "vitest";
import { aPrebuiltImage } from "../../../test/support/builders.ts";
import { decide, type ImageRules } from "./decide.ts";
import { withConditions } from "./decide/conditions.ts";
import type { Building } from "./decide/ending.ts";
import type { ImageFacts } from "./facts.ts";

const createTime = "2026-05-04T10:00:00.000Z";
const at = (seconds: number): string => new Date(Date.parse(createTime) + seconds * 1_000).toISOString();
const rules = { limits: { bootTimeoutMs: 1_800_000 } } as ImageRules;
const inputs = { fingerprint: "sha256:f", classImage: "sandbox:1" };

/** A build whose container was first seen running after 5 s, and whose status was written before that. */
function building(sandbox: Partial<Building["sandbox"]>, lease: ImageFacts["lease"]): ImageFacts {
  const status: Building = {
    scope: "Repository/web",
    build: { number: 1, step: "Building", reason: "MissingImage", ...inputs, timeoutSeconds: 60 },
    sandbox: { attempt: 1, podName: "p", podUID: "u", createTime, ...sandbox },
  };
  const facts: ImageFacts = {
    image: aPrebuiltImage("web", { status }),
    scope: { found: { ...inputs, repositories: ["web"], bounded: [] } },
    containerStartTime: sandbox.containerStartTime ?? at(5),
    pods: [{ name: "p", uid: "u", attempt: 1, isStarted: true, isTerminating: false }],
    secrets: [],
    isSilent: false,
    lease,
  };
  const stored = withConditions(facts, status, new Date(createTime));
  return { ...facts, image: { ...facts.image, status: stored } };
}

const connected = { isReady: false };
const cloning = { ...connected, phase: { name: "Cloning" as const, since: at(8) } };

it.each<{ name: string; facts: ImageFacts; want: string | undefined }>([
  { name: "with no other write", facts: building({}, connected), want: undefined },
  { name: "once the build lasts for a while", facts: building({}, cloning), want: at(5) },
  { name: "once", facts: building({ containerStartTime: at(4), phase: cloning.phase }, cloning), want: undefined },
])("the start of the container is written $name", ({ facts, want }) => {
  const { effects } = decide(facts, new Date(at(20)), rules);
  const written = effects.flatMap((effect) => (effect.kind === "writeStatus" ? [effect.status] : []));
  expect(written.map(({ sandbox }) => sandbox?.containerStartTime)).toEqual(want === undefined ? [] : [want]);
});

it("a build ends by the clock that first saw its container, whether that is written or not", () => {
  const facts = building({}, connected);
  expect(decide(facts, new Date(at(20)), rules).wakeAtMs).toBe(Date.parse(at(5 + 660)));
  const reasonAt = (seconds: number): string | undefined => {
    const { effects } = decide(facts, new Date(at(seconds)), rules);
    const [written] = effects.flatMap((effect) => (effect.kind === "writeStatus" ? [effect.status] : []));
    return written?.failures?.reason;
  };
  expect([664.999, 665, 665.001].map(reasonAt)).toEqual([undefined, "BuildTimeout", "BuildTimeout"]);
});

it("a build whose pod others' NetworkPolicies select has a warning, which the next build takes back", () => {
  const type = "ForeignNetworkPolicy";
  /** The status once a build of this number is recorded. */
  function recorded(number: number, foreignPolicies: string[], status: ImageFacts["image"]["status"]) {
    const facts = building({}, undefined);
    const start: ImageFacts["start"] = {
      ...{ attempt: number, podName: `p${number}`, podUID: `u${number}`, createTime, tunnels: [], foreignPolicies },
      ...{ settings: { copied: {}, bounded: [] }, maxUnsavedSeconds: 60, workspaceLimitBytes: 1 },
      ...{ decision: { kind: "build", reason: "MissingImage" }, inputs, timeoutSeconds: 60 },
    };
    const { effects } = decide(
      { ...facts, image: { ...facts.image, status: { ...status, build: undefined } }, start },
      new Date(at(20)),
      rules,
    );
    return effects.flatMap((effect) => (effect.kind === "writeStatus" ? [effect.status] : []))[0];
  }
  const warned = recorded(1, ["open"], {});
  const message = "the sandbox is also selected by NetworkPolicy open";
  expect(warned?.conditions).toContainEqual(expect.objectContaining({ type, status: "True", reason: type, message }));
  expect(recorded(2, [], warned)?.conditions?.map((one) => one.type)).not.toContain(type);
});
