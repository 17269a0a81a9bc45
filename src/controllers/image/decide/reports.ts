import { labels } from "../../../api/v1alpha1/names.ts";
import type { SnapshotNote } from "../../../api/runtime/bundle.ts";
import { snapshotNote } from "../../sandbox/decide/saving.ts";
import { attemptOf } from "../../sandbox/labels.ts";
import type { ImageFacts } from "../facts.ts";
import { hasInputs } from "./backoff.ts";
import { finalizationSeconds } from "./clocks.ts";
import type { Building } from "./ending.ts";

/** The status with what kubelet and runtime have reported, which goes along with the next write. */
export function withReports(facts: ImageFacts, status: Building): Building {
  return { ...status, sandbox: reportedSandbox(facts, status), build: reportedBuild(facts, status) };
}

function reportedSandbox({ containerStartTime, lease }: ImageFacts, { sandbox }: Building): Building["sandbox"] {
  return {
    ...sandbox,
    containerStartTime: sandbox.containerStartTime ?? containerStartTime,
    connectTime: lease?.connectedTime ?? sandbox.connectTime,
    phase: lease?.built ? undefined : (lease?.phase ?? sandbox.phase),
  };
}

function reportedBuild(facts: ImageFacts, status: Building): Building["build"] {
  const { build } = status;
  const { containerStartTime } = reportedSandbox(facts, status);
  const lastMs = (build.timeoutSeconds + finalizationSeconds) * 1_000;
  const deadline =
    containerStartTime === undefined ? undefined : new Date(Date.parse(containerStartTime) + lastMs).toISOString();
  const isChanged = "found" in facts.scope && !hasInputs(build, facts.scope.found);
  return { ...build, deadline, wanted: isChanged ? true : build.wanted };
}

/** What is known of the storing of the image. */
export function storingNote(facts: ImageFacts, { sandbox }: Building): SnapshotNote | undefined {
  return snapshotNote({ ...facts, start: undefined, ready: undefined, obstacle: undefined }, sandbox);
}

/** The hash of the secrets that the build has, as it is written on its bundle. */
export function bundledMac({ secrets }: ImageFacts, { sandbox }: Building): string | undefined {
  return secrets.find((secret) => attemptOf(secret) === sandbox.attempt)?.labels?.[labels.secretsMac];
}
