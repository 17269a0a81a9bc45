import { setTimeout as delay } from "node:timers/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { accessFrom } from "../../src/kube/access.ts";
import { KubeClient } from "../../src/kube/client.ts";
import { namespaces } from "./core-resources.ts";
import { HttpTransport } from "../../src/kube/http-transport.ts";
import { systemClock } from "../../src/lib/clock.ts";

/** Our own client on the API server of a kubeconfig text or file. */
export function clientOf(kubeconfig: { file: string } | { text: string }): {
  client: KubeClient;
  close(): Promise<void>;
} {
  const config = new KubeConfig();
  if ("file" in kubeconfig) config.loadFromFile(kubeconfig.file);
  else config.loadFromString(kubeconfig.text);
  const transport = new HttpTransport({ access: accessFrom(config), clock: systemClock });
  return {
    client: new KubeClient({ transport, clock: systemClock, fieldManager: "tests" }),
    close: () => transport.close(),
  };
}

/** A namespace that no other test uses. */
export async function newNamespace(client: KubeClient, prefix: string): Promise<string> {
  const name = `${prefix}-${Math.random().toString(36).slice(2, 10)}`;
  await client.create(namespaces, { metadata: { name } });
  return name;
}

/** Waits until something is so; fails with what it is about after `limitMs`. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1000} s: ${what}`);
    await delay(10);
  }
}
