import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Progress } from "../../hack/lib/progress.ts";
import { Automation } from "../../src/api/v1alpha1/index.ts";
import type { AutomationStatus } from "../../src/api/v1alpha1/automation-status.ts";
import { keyOf } from "../../src/lib/resource.ts";
import { type SeenRequest, startFaultProxy } from "../../test/support/fault-proxy.ts";
import { clientOf } from "../../test/support/kube.ts";
import { ControllerProcess } from "./controller-process.ts";
import { Edge } from "./edge.ts";
import { live } from "./lives.ts";
import { quiet } from "./quiet.ts";
import { makeScript, type RecordedWrite, type Step } from "./script.ts";
import { openStage } from "./stage.ts";

/** In this text no other name, and no word of an object, is found. */
const recordedName = "recorded-life";

export interface Recorded {
  /** The writes of one Run, the stood-in kubelet's and gateway's among them. */
  steps: Step[];
  /** Status of the Automation before that Run: writes of it say only what changes. */
  automationStatus: AutomationStatus;
}

/** Has one Run go by on a stage of its own. */
export async function recordLife(program: string, progress: Progress): Promise<Recorded> {
  const stage = await openStage(progress);
  const proxy = await startFaultProxy(stage.plane, { keepsContent: true });
  const connection = clientOf({ text: proxy.kubeconfig() });
  const edge = new Edge(connection.client);
  const kubeconfig = join(stage.plane.directory, "recorded.kubeconfig");
  await writeFile(kubeconfig, proxy.kubeconfig());
  let controller: ControllerProcess | undefined;
  try {
    controller = await ControllerProcess.start({ kubeconfig, program });
    await edge.start();
    const isWork = ({ isWrite, path }: SeenRequest): boolean => isWrite && !path.includes("/leases/");
    const settled = (): Promise<void> =>
      quiet("nothing more is written of an ended Run", () => proxy.seen.filter(isWork).length);
    const lives = { client: connection.client, edge, automations: stage.automations };
    // The first Run of a namespace also pays for what is made once in it.
    await live(lives, 0, "warm-up");
    await settled();
    const [automation] = stage.automations;
    if (!automation) throw new Error("the stage has no Automation");
    const { status: automationStatus = {} } = await stage.client.get(Automation, keyOf(automation));
    const mark = proxy.seen.length;
    await live(lives, 0, recordedName);
    await settled();
    const recorded = proxy.seen.slice(mark).flatMap(({ method, path, status, content }): RecordedWrite[] => {
      return content ? [{ method, path, status, contentType: content.type, ...content }] : [];
    });
    return { steps: makeScript(recorded, automation.metadata.name ?? ""), automationStatus };
  } finally {
    await controller?.stop();
    await edge.stop();
    await connection.close();
    await proxy.close();
    await stage.close();
  }
}
