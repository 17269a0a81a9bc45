import { z } from "zod";

import { Run } from "../../api/v1alpha1/index.ts";
import { Push } from "../../api/v1alpha1/outcome.ts";
import { branchesInShort } from "../../domain/prompts/pushed-branches.ts";
import { keyText } from "../../lib/resource.ts";
import { shownDuration } from "../../lib/shown-duration.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { Duration } from "../arguments/value-types.ts";
import type { Invocation } from "../command.ts";
import { openGatewayApi } from "../gateway/gateway-api.ts";
import { gatewayTarget } from "../gateway/gateway-target.ts";
import { readGateway } from "../gateway/read-gateway.ts";
import { shownAge } from "../output/age.ts";
import { objectName } from "../output/listed.ts";
import type { Printable } from "../output/printable.ts";
import { textTable } from "../output/table.ts";
import { TrimmedHistory, trimmedNotes } from "../output/trimmed-history.ts";

const Instant = z.number().nullable();
const Text = z.string().nullable();
const OneInvocation = z.looseObject({
  id: z.string(),
  source: z.string(),
  status: z.string(),
  skipReason: Text,
  failureReason: Text,
  message: Text,
  createdAt: z.number(),
  startedAt: Instant,
  completedAt: Instant,
  /** Gateways of earlier versions name no pushes. */
  result: z.looseObject({ branch: Text, commit: Text, pushes: z.array(Push).optional() }).nullable(),
});
type OneInvocation = z.output<typeof OneInvocation>;
const Page = z.object({
  invocations: z.array(OneInvocation),
  nextCursor: Text,
  isComplete: z.boolean(),
  trimmed: TrimmedHistory,
});

/** Entries of one request: the most that the gateway gives. */
const pageSize = 100;

/** The Runs of an Automation that were made within a time, newest first, also those that only the archive has. */
export async function runsSince(
  invocation: Invocation,
  id: NamespacedName,
  { since, limit }: { since: Duration; limit: number },
): Promise<Printable> {
  const { clock, io } = invocation;
  const now = clock.now();
  const sinceMs = now.getTime() - since.ms;
  const { found, hasMore, isComplete, trimmed } = await invocationsSince(invocation, id, { sinceMs, limit });
  if (found.length === 0) io.note(`Automation ${keyText(id)} has no Runs within ${since.text}`);
  if (hasMore) io.note(`There are more; --limit ${limit * 2} shows further ones`);
  if (!isComplete) io.note("The archive cannot be read now: Runs that the cluster has no more are missing");
  if (!hasMore) for (const note of trimmedNotes(trimmed, sinceMs)) io.note(note);
  return {
    text: found.length === 0 ? "" : tableOf(found, now),
    json: { invocations: found },
    names: found.map((one) => objectName(Run, { metadata: { name: one.id } })),
  };
}

async function invocationsSince(
  invocation: Invocation,
  { namespace, name }: NamespacedName,
  { sinceMs, limit }: { sinceMs: number; limit: number },
): Promise<{ found: OneInvocation[]; hasMore: boolean; isComplete: boolean; trimmed: TrimmedHistory }> {
  const api = await openGatewayApi(invocation, gatewayTarget(invocation, namespace));
  const found: OneInvocation[] = [];
  let isComplete = true;
  let trimmed: TrimmedHistory = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const query = new URLSearchParams({ limit: String(pageSize), cursor });
    const path = `/automations/${namespace}.${name}/invocations?${query.toString()}`;
    const page: z.output<typeof Page> = await readGateway(api, path, { shape: Page, what: "runs --since" });
    const within = page.invocations.filter(({ createdAt }) => createdAt >= sinceMs);
    found.push(...within);
    isComplete &&= page.isComplete;
    trimmed = page.trimmed;
    const isEnd = within.length < page.invocations.length || found.length > limit;
    cursor = isEnd ? null : page.nextCursor;
  }
  return { found: found.slice(0, limit), hasMore: found.length > limit, isComplete, trimmed };
}

function tableOf(found: readonly OneInvocation[], now: Date): string {
  const rows = found.map((one) => [
    one.id,
    one.source,
    one.status,
    one.skipReason ?? one.failureReason ?? "",
    `${shownAge(new Date(one.createdAt).toISOString(), now)} ago`,
    one.startedAt === null ? "" : shownDuration((one.completedAt ?? now.getTime()) - one.startedAt),
    branchesInShort(one.result),
    one.message ?? "",
  ]);
  return textTable(["NAME", "SOURCE", "STATUS", "REASON", "WHEN", "DURATION", "BRANCH", "MESSAGE"], rows);
}
