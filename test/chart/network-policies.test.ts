import { describe, expect, it } from "vitest";

import type { NetworkPolicy } from "../../src/kube/core-resources.ts";
import { renderChart } from "./support/render.ts";

/** Ports that a process may reach on any host, by its policy; sorted. */
async function reached(process: string, values: Record<string, unknown>): Promise<(number | string | undefined)[]> {
  const policies = (await renderChart({ name: "rw", values })).ofKind<NetworkPolicy>("NetworkPolicy");
  const policy = policies.find(({ metadata }) => metadata.name === `rw-${process}`);
  const open = policy?.spec?.egress?.filter(({ to }) => to === undefined) ?? [];
  return open
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ protocol }) => protocol === "TCP")
    .map(({ port }) => port)
    .sort();
}

it.each([
  { urls: ["https://ghe:8443/api/v3"], ports: [53, 6443, 8443] },
  { urls: ["https://api.github.com"], ports: [443, 53, 6443] },
  {
    urls: ["https://api.github.com", "https://ghe.example.com/api/v3", "https://ghe:8443"],
    ports: [443, 53, 6443, 8443],
  },
])("the gateway reaches GitHub at $urls, which no other process does", async ({ urls, ports }) => {
  const values = { "networkPolicy.apiServerPorts": [6443], "gateway.githubAPIURLs": urls };
  expect(await reached("gateway", values)).toEqual(ports);
  expect(await reached("controller", values)).toEqual([53, 6443]);
  expect(await reached("ingress", values)).toEqual([53, 6443]);
});

describe("a PodMonitor", () => {
  const monitored = { "podMonitor.enabled": true };

  it("is refused where network policies let no pod read metrics", async () => {
    await expect(renderChart({ values: monitored })).rejects.toThrow(
      "podMonitor.enabled is true, but networkPolicy.metricsFrom is empty",
    );
  });

  it.each([
    { "networkPolicy.metricsFrom": [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }] },
    { "networkPolicy.enabled": false },
  ])("is taken with %j", async (values) => {
    const chart = await renderChart({ values: { ...monitored, ...values } });
    expect(chart.ofKind("PodMonitor")).toHaveLength(1);
  });
});
