import { conditionTypes, type Run, type RunStatus } from "../../api/v1alpha1/index.ts";
import { findCondition, withMarks } from "../../domain/conditions.ts";
import { cutCharacters } from "../../lib/characters.ts";
import type { Child } from "./facts.ts";

const type = conditionTypes.hooksPassedOver;
/** Characters of the condition's message. */
const longestMessage = 1_024;

/** The status with what its sessions say of hooks that failed while they went on; it stays when they say no more of it. */
export function withPassedOver(
  status: RunStatus,
  { run, children, now }: { run: Run; children: readonly Child[]; now: Date },
): RunStatus {
  const found = children.flatMap(({ session }) => {
    const condition = findCondition(session?.status?.conditions, type);
    return session && condition ? [{ name: session.metadata.name ?? "", ...condition }] : [];
  });
  const [first] = found;
  if (!first) return status;
  const said = found.map(({ name, message }) => (children.length === 1 ? message : `Session ${name}: ${message}`));
  const message = cutCharacters(said.join("; "), longestMessage);
  const mark = { type, status: "True" as const, reason: first.reason, message };
  return { ...status, conditions: withMarks(status.conditions, [mark], { now, generation: run.metadata.generation }) };
}
