import type {
  Automation,
  AutomationStatus,
  Prompt,
  PromptStatus,
  RunStatus,
  Session,
} from "../../api/v1alpha1/index.ts";

/** What people are told when an action was carried out. */
export interface RunEvent {
  on: "Run" | "Automation";
  type: "Normal" | "Warning";
  reason: string;
  note: string;
}

/** One write. Actions are carried out in order and the first failure ends the pass, so each leaves a state to go on from. */
export type RunAction = (
  | { kind: "labelRun"; automationUid: string }
  | { kind: "writeAutomation"; automation: Automation; status: AutomationStatus }
  | { kind: "createSession"; session: Session }
  | { kind: "writeRun"; status: RunStatus }
  /** The text is composed when it is written, from the stored payload that caches do not hold. */
  | { kind: "createPrompt"; automation: Automation; session: string }
  | { kind: "settlePrompt"; prompt: Prompt; status: PromptStatus }
  | { kind: "deleteSession"; session: Session }
  | { kind: "deleteRun" }
) & { events?: readonly RunEvent[] };

export interface RunPlan {
  actions: readonly RunAction[];
  /** Milliseconds until the Run must be looked at again when nothing happens before. */
  requeueMs?: number | undefined;
}

export const nothing: RunPlan = { actions: [] };
