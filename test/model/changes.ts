import { annotations, type AutomationSpec } from "../../src/api/v1alpha1/index.ts";
import type { Model } from "./model.ts";
import type { Stage } from "./stage.ts";
import type { Change } from "./steps.ts";
import { requestBurst, startBurst } from "./exhaust.ts";
import { automationName } from "./world.ts";

/** Changes the Automation, in the world and in the model. */
export async function change(stage: Stage, what: Change | "unsuspend" | "resume" | "create"): Promise<void> {
  const { world, model } = stage;
  const { current } = model;
  switch (what) {
    case "create":
      await createAutomation(stage);
      return;
    case "recreate":
      await deleteAutomation(stage);
      await createAutomation(stage);
      return;
    case "delete":
      return deleteAutomation(stage);
    case "rotateKey":
      if (!current) return;
      model.previousKey = current.key;
      current.key = await world.setKey(current.uid);
      return;
    case "suspend":
    case "unsuspend":
      await world.patchAutomation({ spec: { suspend: what === "suspend" } });
      if (current) current.suspend = what === "suspend";
      return;
    case "resume":
      await world.patchAutomation({
        metadata: { annotations: { [annotations.resumeRequestedAt]: `resume-${world.nextNumber()}` } },
      });
      if (current) current.isResumeRequested = true;
      return;
  }
}

const webhook = {
  filters: [{ path: "$.status", operator: "eq", value: "failed" }],
  rateLimit: { perSecond: 1, burst: startBurst },
  requestRateLimit: { perSecond: 1, burst: requestBurst },
};

function triggerOf({ trigger, slots, maxUnfinishedRuns }: Model): object {
  if (trigger === "Webhook") return { type: trigger, webhook: { ...webhook, maxUnfinishedRuns } };
  return { type: trigger, schedule: { cron: slots.cron, timeZone: "UTC" } };
}

function targets(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({ repositoryRef: { name: `repository-${index}` } }));
}

export async function createAutomation({ world, model }: Stage): Promise<void> {
  const { historyLimit: limit } = model;
  // The API server fills in the rest.
  const { metadata } = await world.createAutomation(automationName, {
    instructions: "Find the cause and fix it.",
    trigger: triggerOf(model),
    targets: model.trigger === "Webhook" ? [] : targets(model.targets),
    history: { successfulLimit: limit, failedLimit: limit, skippedLimit: limit },
  } as Partial<AutomationSpec>);
  const { uid = "" } = metadata;
  model.create(uid, await world.setKey(uid));
}

async function deleteAutomation({ world, model }: Stage): Promise<void> {
  await world.deleteAutomation();
  model.delete();
}
