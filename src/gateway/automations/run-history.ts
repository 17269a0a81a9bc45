import { type Automation, labels, Run } from "../../api/v1alpha1/index.ts";
import { automationUidOf } from "../../domain/runs/automation-uid.ts";
import type { LongLists } from "../http/long-lists.ts";

/** Runs per page of the API server: each may have 64 KB of payload, which is dropped as it is read. */
const pageSize = 100;

/** All Runs of an automation, unordered and without payloads and idempotency keys. @throws ApiError `Busy` */
export async function runsOf(lists: LongLists, { metadata }: Automation, signal: AbortSignal): Promise<Run[]> {
  const { namespace, uid = "" } = metadata;
  const labelSelector = `${labels.automationUid}=${uid}`;
  const labelled = await lists.read<Run>(Run, {
    namespace,
    labelSelector,
    limit: pageSize,
    signal,
    transform: withoutPayload,
  });
  return labelled.filter((run) => automationUidOf(run) === uid);
}

function withoutPayload(run: Run): Run {
  const { trigger } = run.spec;
  delete trigger.payload;
  delete trigger.idempotencyKey;
  return run;
}
