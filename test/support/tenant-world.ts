import { Automation, type AutomationSpec, type Condition, Run } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { type Pod, pods } from "../../src/kube/core-resources.ts";
import { anAutomation } from "./builders.ts";

/** A tenant namespace on a real API server, which a test reads and writes with admin's rights. */
export abstract class TenantWorld {
  readonly client: KubeClient;
  readonly namespace: string;

  protected constructor(client: KubeClient, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  abstract close(): Promise<void>;

  createAutomation(name: string, spec: Partial<AutomationSpec> = {}): Promise<Automation> {
    return this.client.create(Automation, anAutomation({ metadata: this.named(name), spec }));
  }

  run(name: string): Promise<Run> {
    return this.client.get(Run, this.named(name));
  }

  async pods(): Promise<Pod[]> {
    return (await this.client.list(pods, { namespace: this.namespace })).items;
  }

  protected named(name: string): { namespace: string; name: string } {
    return { namespace: this.namespace, name };
  }
}

export function conditionOf(
  object: { status?: { conditions?: Condition[] | undefined } | undefined } | undefined,
  type = "Succeeded",
): Condition | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}
