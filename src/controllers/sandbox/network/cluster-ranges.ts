import { BlockList, isIP } from "node:net";
import type { EndpointSlice, Node } from "../../../kube/core-resources.ts";
import { nonPublicIpv4, nonPublicIpv6, publicIpv6 } from "./address-ranges.ts";

/** What a look at the cluster found; an Error where it could not be read. */
export interface ClusterFacts {
  nodes: readonly Pick<Node, "spec" | "status">[] | Error;
  /** Where the API server listens. */
  apiServer: Pick<EndpointSlice, "endpoints"> | Error;
  /** Ranges that the operator's settings name. */
  configured: readonly string[];
}

/**
 * The cluster's own ranges among the addresses of the internet: those of pods and nodes, the API server's addresses, and
 * what is configured. Sorted, none within another.
 */
export function clusterRanges({ nodes, apiServer, configured }: ClusterFacts): string[] {
  const found = [
    ...configured,
    ...(nodes instanceof Error ? [] : nodes.flatMap((node) => [...podRanges(node), ...nodeAddresses(node)])),
    ...(apiServer instanceof Error
      ? []
      : (apiServer.endpoints ?? []).flatMap(({ addresses }) => addresses.map(rangeOf))),
  ];
  const covered = notInternet();
  return withoutCovered(found, covered).sort();
}

/** Why sandboxes may reach addresses of the cluster by way of the internet; undefined: nothing says that they may. */
export function rangesProblem({ nodes, apiServer, configured }: ClusterFacts): string | undefined {
  if (configured.length > 0) return undefined;
  if (nodes instanceof Error) return `Nodes cannot be listed: ${nodes.message}`;
  if (apiServer instanceof Error) return `EndpointSlice default/kubernetes cannot be read: ${apiServer.message}`;
  const hasPodRanges = nodes.some((node) => podRanges(node).length > 0);
  const hasPublicNodes = withoutCovered(nodes.flatMap(nodeAddresses), notInternet()).length > 0;
  if (hasPodRanges || !hasPublicNodes) return undefined;
  return "Nodes have public addresses, and none says in spec.podCIDRs which addresses pods have";
}

function podRanges({ spec: { podCIDRs = [], podCIDR } = {} }: Pick<Node, "spec">): string[] {
  return podCIDRs.length === 0 && podCIDR !== undefined ? [podCIDR] : podCIDRs;
}

function nodeAddresses({ status }: Pick<Node, "status">): string[] {
  return (status?.addresses ?? []).filter(({ address }) => isIP(address) !== 0).map(({ address }) => rangeOf(address));
}

function rangeOf(address: string): string {
  return `${address}/${isIP(address) === 4 ? 32 : 128}`;
}

/** The ranges of the internet that `covered` does not have yet; it has them afterwards. */
function withoutCovered(ranges: readonly string[], covered: BlockList): string[] {
  const internet = blockList([publicIpv6]);
  // The widest first, so that a range that begins in another one lies within it.
  const parsed = ranges.map((range) => ({ range, ...parseRange(range) })).sort((a, b) => a.bits - b.bits);
  return parsed
    .filter(({ address, bits, family }) => {
      const isInternet = family === "ipv4" || internet.check(address, family);
      if (!isInternet || covered.check(address, family)) return false;
      covered.addSubnet(address, bits, family);
      return true;
    })
    .map(({ range }) => range);
}

function notInternet(): BlockList {
  return blockList([...nonPublicIpv4, ...nonPublicIpv6]);
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const { address, bits, family } of ranges.map(parseRange)) list.addSubnet(address, bits, family);
  return list;
}

function parseRange(range: string): { address: string; bits: number; family: "ipv4" | "ipv6" } {
  const [address = "", bits] = range.split("/");
  return { address, bits: Number(bits), family: isIP(address) === 4 ? "ipv4" : "ipv6" };
}
