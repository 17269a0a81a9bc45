import { describe, expect, it } from "vitest";
import type { Node } from "../../../kube/core-resources.ts";
import { type ClusterFacts, clusterRanges, rangesProblem } from "./cluster-ranges.ts";

type Found = Pick<Node, "spec" | "status">;

function aNode(addresses: readonly string[], podCIDRs?: string[]): Found {
  const listed = addresses.map((address) => ({ type: "InternalIP", address }));
  return { spec: podCIDRs === undefined ? {} : { podCIDRs }, status: { addresses: listed } };
}

const listening = (...addresses: string[]): ClusterFacts["apiServer"] => ({ endpoints: [{ addresses }] });
const failed = new Error("forbidden");
const facts = (given: Partial<ClusterFacts>): ClusterFacts => ({
  nodes: [],
  apiServer: listening("10.0.0.1"),
  configured: [],
  ...given,
});

describe("of the internet's addresses the cluster's are", () => {
  it.each<[string, Partial<ClusterFacts>, string[]]>([
    ["none of a private cluster", { nodes: [aNode(["192.168.1.5", "fd00::5"], ["10.244.0.0/24", "fd00:1::/64"])] }, []],
    ["Nodes' addresses", { nodes: [aNode(["198.41.0.5", "2a00::5"])] }, ["198.41.0.5/32", "2a00::5/128"]],
    ["no names of Nodes", { nodes: [aNode(["node-1", "node-1.example.com"])] }, []],
    ["Nodes' pods'", { nodes: [aNode([], ["198.41.1.0/24", "2a00:1::/64"])] }, ["198.41.1.0/24", "2a00:1::/64"]],
    ["Nodes' pods', by the older field", { nodes: [{ spec: { podCIDR: "198.41.1.0/24" } }] }, ["198.41.1.0/24"]],
    ["the API server's", { apiServer: listening("198.41.0.9", "2a00::9") }, ["198.41.0.9/32", "2a00::9/128"]],
    ["those configured", { configured: ["198.41.0.0/16"] }, ["198.41.0.0/16"]],
    [
      "without those within others",
      { nodes: [aNode(["198.41.0.5", "198.42.0.5"], ["198.41.1.0/24"])], configured: ["198.41.0.0/16"] },
      ["198.41.0.0/16", "198.42.0.5/32"],
    ],
    ["each once", { nodes: [aNode(["198.41.0.5"]), aNode(["198.41.0.5"])] }, ["198.41.0.5/32"]],
    ["without addresses that no class opens", { nodes: [aNode(["2001:db8::1", "64:ff9b::1", "fe80::1"])] }, []],
    [
      "a range beside a private one",
      { configured: ["11.0.0.0/8", "9.255.255.255/32"] },
      ["11.0.0.0/8", "9.255.255.255/32"],
    ],
    [
      "what can be read where the rest cannot",
      { nodes: failed, apiServer: listening("198.41.0.9") },
      ["198.41.0.9/32"],
    ],
    ["none where nothing can be read", { nodes: failed, apiServer: failed }, []],
  ])("%s", (_, given, want) => expect(clusterRanges(facts(given))).toEqual(want));
});

describe("something may be missing", () => {
  it.each<[string, Partial<ClusterFacts>, string | undefined]>([
    ["not in a private cluster", { nodes: [aNode(["192.168.1.5"])] }, undefined],
    ["not in one without Nodes", {}, undefined],
    ["where Nodes cannot be listed", { nodes: failed }, "Nodes cannot be listed: forbidden"],
    [
      "where the API server's addresses cannot be read",
      { apiServer: failed },
      "EndpointSlice default/kubernetes cannot be read: forbidden",
    ],
    [
      "where Nodes are public and pods have addresses of which none knows",
      { nodes: [aNode(["192.168.1.5", "2a00::5"])] },
      "Nodes have public addresses, and none says in spec.podCIDRs which addresses pods have",
    ],
    ["not where one says so", { nodes: [aNode(["2a00::5"]), aNode(["2a00::6"], ["10.244.0.0/24"])] }, undefined],
    ["not where ranges are configured", { nodes: failed, apiServer: failed, configured: ["2a00::/16"] }, undefined],
  ])("%s", (_, given, want) => expect(rangesProblem(facts(given))).toBe(want));
});
