import type { IncomingHttpHeaders } from "node:http";

import type { GitHubEventType, Integration, IntegrationEventSpec } from "../../api/v1alpha1/index.ts";

/** An event as it is kept. */
export type KeptEvent = Pick<IntegrationEventSpec, "github" | "linear" | "slack">;

/** How a request says that it was signed. */
export interface SentSignature {
  /** In hexadecimal. */
  signature: string;
  /** What is signed before the body. */
  prefix?: string;
}

/** What a request is read with. */
export interface SentRequest {
  headers: IncomingHttpHeaders;
  now: Date;
  spec: Integration["spec"];
  /** Events of GitHub's that Automations want of this Integration. */
  wantedEvents: ReadonlySet<GitHubEventType>;
  /** Channels of Slack's whose messages Automations want of this Integration. */
  wantedChannels: ReadonlySet<string>;
}

/** Largest body of a chat or issue tracker: 1 MiB. */
export const usualBytes = 1_048_576;

/** What a signed request holds. */
export interface ReadRequest {
  /** The workspace that it is of; undefined where it is of none, which holds no event. */
  workspace: string | undefined;
  /** What is kept of the event and the provider's id of its delivery, or a sentence that says why there is none that an Integration handles. */
  event: { kept: readonly KeptEvent[]; deliveryId: () => string } | string;
  /** What the provider wants to read in the answer. */
  challenge?: string;
}

/** How one provider sends events. */
export interface IntegrationProtocol {
  type: Integration["spec"]["type"];
  /** The largest body that the provider sends. */
  longestBytes: number;
  /** How a sender proves whose a request is; HTTP has no registered scheme for signatures. */
  challenge: string;
  /** @throws Refusal `MissingKey`, `WrongKey` or `Stale` */
  signatureOf(headers: IncomingHttpHeaders, now: Date): SentSignature;
  /** Reads a request whose signature was right. @throws Refusal `InvalidPayload` or `Stale` */
  read(body: Buffer, sent: SentRequest): ReadRequest;
  /** The workspace that an Integration is for. */
  workspaceOf(spec: Integration["spec"]): string | undefined;
}
