import { createHash } from "node:crypto";

import { base32 } from "../../lib/base32.ts";
import { namePrefix } from "../object-names.ts";

/** 128 bits: 26 characters of base32. */
const hashedBytes = 16;

function hashOf(...parts: readonly string[]): Buffer {
  return createHash("sha256").update(parts.join("\0"), "utf8").digest();
}

function nameFrom(prefix: string, ...parts: readonly string[]): string {
  return `${namePrefix(prefix)}-${base32(hashOf(...parts).subarray(0, hashedBytes))}`;
}

/** The name of the one Conversation of an Integration about a subject. */
export function conversationName(integration: { name: string; uid: string }, subject: string): string {
  return nameFrom(integration.name, "conversation", integration.uid, subject);
}

/** The name of the Session of a Conversation's generation. */
export function sessionName(conversation: { name: string; uid: string }, generation: number): string {
  return nameFrom(conversation.name, "session", conversation.uid, String(generation));
}

/** The name of the one Prompt of a Session for an event. */
export function promptName(session: { name: string; uid: string }, eventUid: string): string {
  return nameFrom(session.name, "prompt", session.uid, eventUid);
}

/** The name of the one PullRequest of an Integration for a branch: which session pushed it makes no difference. */
export function pullRequestName(
  integration: { name: string; uid: string },
  { repository, head }: { repository: string; head: string },
): string {
  return nameFrom(integration.name, "pull-request", integration.uid, repository, head);
}

/** A UUID of version 4 that follows from the parts, so that a repeated call has the same one. */
export function stableUuid(...parts: readonly string[]): string {
  const bytes = hashOf("uuid", ...parts).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * The name of the one IntegrationEvent of a delivery, the same on every replica: only the first create succeeds. What
 * Automations want of a delivery is an event of its own.
 */
export function eventName(
  integration: { name: string; uid: string },
  deliveryId: string,
  readers?: "automations",
): string {
  return nameFrom(integration.name, "event", integration.uid, deliveryId, ...(readers ? [readers] : []));
}
